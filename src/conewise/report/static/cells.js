// Which design is nearest: they lie in cells, and those around a place are looked through.

const CELL = 16;  // pixels

export class Cells {
  constructor(px, py, width, height, isInside) {
    [this.px, this.py] = [px, py];
    this.across = Math.ceil(width / CELL) + 1;
    this.down = Math.ceil(height / CELL) + 1;
    this.head = new Int32Array(this.across * this.down).fill(-1);
    this.next = new Int32Array(px.length);
    for (let k = px.length - 1; k >= 0; k -= 1) {
      if (!isInside(k)) continue;
      const cell = Math.floor(py[k] / CELL) * this.across + Math.floor(px[k] / CELL);
      this.next[k] = this.head[cell];
      this.head[cell] = k;
    }
  }

  // The nearest one; of those at one place, one that stays.
  nearest(x, y, reach, stays) {
    const { px, py, across, down, head, next } = this;
    const rings = Number.isFinite(reach) ? Math.ceil(reach / CELL) : Math.max(across, down);
    const [cx, cy] = [Math.floor(x / CELL), Math.floor(y / CELL)];
    let found = null;
    let least = reach;
    for (let ring = 0; ring <= rings && (ring - 1) * CELL <= least; ring += 1) {
      for (let row = cy - ring; row <= cy + ring; row += 1) {
        if (row < 0 || row >= down) continue;
        const step = row === cy - ring || row === cy + ring ? 1 : 2 * ring || 1;
        for (let column = cx - ring; column <= cx + ring; column += step) {
          if (column < 0 || column >= across) continue;
          for (let k = head[row * across + column]; k >= 0; k = next[k]) {
            const away = Math.hypot(px[k] - x, py[k] - y);
            const better = away < least || (away === least && found !== null && stays(k) && !stays(found));
            if (better || (away === least && found === null)) [found, least] = [k, away];
          }
        }
      }
    }
    return found;
  }
}
