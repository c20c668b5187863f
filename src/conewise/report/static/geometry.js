// Cones of the plane and the designs that remain under them. Larger is better in both coordinates here.
// A cone is its two edges, unit rays: the first towards x, the second towards y, counter-clockwise from one to the other.

const TINY = 1e-9;

export const cross = ([a, b], [c, d]) => a * d - b * c;
const dot = ([a, b], [c, d]) => a * c + b * d;
export const unit = ([a, b]) => { const size = Math.hypot(a, b); return [a / size, b / size]; };

export function planar(degrees) {
  const [middle, half] = [Math.PI / 4, (degrees * Math.PI) / 360];
  const ray = (angle) => [Math.cos(angle), Math.sin(angle)];
  return degrees === 90 ? [[1, 0], [0, 1]] : [ray(middle - half), ray(middle + half)];
}

export const ordered = ([a, b]) => (cross(a, b) > 0 ? [a, b] : [b, a]).map(unit);

// Each objective weighs at least its share: the two extreme weightings, and the edges across them.
export function ofShares([first, second]) {
  const rest = 100 - first - second;
  return ordered([[-second, first + rest], [second + rest, -first]]);
}

// The opening angle of a cone that lies evenly about the diagonal; null for others.
export function degreesOf([a, b]) {
  if (Math.abs(a[0] - b[1]) > 1e-6 || Math.abs(a[1] - b[0]) > 1e-6) return null;
  return (Math.atan2(cross(a, b), dot(a, b)) * 180) / Math.PI;
}

// The smallest cone that holds another one and some rays; null where there is none but half the plane or more.
export function widened(edges, rays) {
  const middle = unit([edges[0][0] + edges[1][0], edges[0][1] + edges[1][1]]);
  const angle = (ray) => Math.atan2(cross(middle, ray), dot(middle, ray));
  const all = [...edges, ...rays.map(unit)];
  const angles = all.map(angle);
  const [low, high] = [Math.min(...angles), Math.max(...angles)];
  if (high - low > Math.PI - 1e-6) return null;
  return [all[angles.indexOf(low)], all[angles.indexOf(high)]];
}

// What an edge says. "pays": for 1 of the loss one wants at least `rate` of the gain; "never": no gain pays;
// "needs": 1 of the gain counts only together with `rate` of the other; null: it says something else.
export function meaning(edge, gain) {
  const [won, other] = [edge[gain], edge[1 - gain]];
  if (won <= TINY) return null;
  if (Math.abs(other) < TINY) return { kind: "never", rate: Infinity };
  return other < 0 ? { kind: "pays", rate: won / -other } : { kind: "needs", rate: other / won };
}

// The other way round: the edge for a gain in objective `gain`.
export function edgeOf(kind, rate, gain) {
  const pair = kind === "never" || !Number.isFinite(rate) ? [1, 0] : kind === "pays" ? [rate, -1] : [1, rate];
  return unit(gain === 0 ? pair : [pair[1], pair[0]]);
}

// The inner normals of the edges: a step is an improvement when neither is negative.
const facets = ([a, b]) => [[-a[1], a[0]], [b[1], -b[0]]];

// All designs, sorted once along a line across a direction that lies inside every cone that is asked about.
// Of two designs, the one further to the first edge's side beats the other exactly when the first facet says so: the
// second facet then follows, because the direction is inside the cone. So one sweep from each end finds the front.
export class Plane {
  constructor(x, y) {
    this.x = Float64Array.from(x);
    this.y = Float64Array.from(y);
    this.inside = null;
    this.beaten = new Uint8Array(this.x.length);
    this.missing = null;  // 1 for who misses a level: it is out, and puts nobody else out
    this.count = 0;
  }

  sort(inside) {
    if (this.inside && this.inside[0] === inside[0] && this.inside[1] === inside[1]) return;
    this.inside = inside;
    const { x, y } = this;
    const along = x.map((value, k) => value * inside[1] - y[k] * inside[0]);
    this.order = Uint32Array.from(x, (_, k) => k).sort((i, j) => along[i] - along[j]);
    this.along = Float64Array.from(this.order, (k) => along[k]);
    this.sx = Float64Array.from(this.order, (k) => x[k]);
    this.sy = Float64Array.from(this.order, (k) => y[k]);
  }

  // Marks who is beaten, and says how many are not.
  front(edges) {
    const [first, second] = facets(edges);
    const diagonal = [1, 1];
    this.sort(dot(first, diagonal) > TINY && dot(second, diagonal) > TINY ? diagonal
      : unit([edges[0][0] + edges[1][0], edges[0][1] + edges[1][1]]));
    const { order, along, sx, sy, beaten, missing } = this;
    const total = order.length;
    let best = -Infinity;
    for (let k = total - 1; k >= 0;) {
      const end = k;
      let top = best;
      for (; k >= 0 && along[k] === along[end]; k -= 1) {
        if (missing?.[order[k]]) { beaten[order[k]] = 1; continue; }
        const value = first[0] * sx[k] + first[1] * sy[k];
        beaten[order[k]] = value <= best ? 1 : 0;
        if (value > top) top = value;
      }
      best = top;
    }
    best = -Infinity;
    let count = 0;
    for (let k = 0; k < total;) {
      const start = k;
      let top = -Infinity;
      for (; k < total && along[k] === along[start]; k += 1) if (!missing?.[order[k]]) top = Math.max(top, second[0] * sx[k] + second[1] * sy[k]);
      for (let n = start; n < k; n += 1) {
        if (missing?.[order[n]]) continue;
        const value = second[0] * sx[n] + second[1] * sy[n];
        if (value <= best || value < top) beaten[order[n]] = 1;
        else if (!beaten[order[n]]) count += 1;
      }
      best = Math.max(best, top);
    }
    this.count = count;
    return count;
  }

  // Who of those that remain beats design k, the clearest first.
  rivals(k, edges) {
    const [first, second] = facets(edges);
    const found = [];
    for (let j = 0; j < this.x.length; j += 1) {
      if (this.beaten[j]) continue;
      const step = [this.x[j] - this.x[k], this.y[j] - this.y[k]];
      const [one, two] = [dot(first, step), dot(second, step)];
      if (one >= 0 && two >= 0 && (step[0] !== 0 || step[1] !== 0)) found.push([Math.min(one, two), j]);
    }
    return found.sort((a, b) => b[0] - a[0] || a[1] - b[1]).map(([, j]) => j);
  }

  // For a beaten design: the rates that those who beat it reach, [of y for 1 of x, of x for 1 of y]. At higher ones it
  // comes back; 0 where nobody who beats it loses that objective, null where one is at least as good in both.
  ratesReached(k, edges) {
    const [first, second] = facets(edges);
    const reached = [0, 0];
    for (let j = 0; j < this.x.length; j += 1) {
      if (this.missing?.[j]) continue;
      const step = [this.x[j] - this.x[k], this.y[j] - this.y[k]];
      if (dot(first, step) < 0 || dot(second, step) < 0 || (step[0] === 0 && step[1] === 0)) continue;
      if (step[0] >= 0 && step[1] >= 0) return null;
      const loss = step[0] < 0 ? 0 : 1;
      reached[loss] = Math.max(reached[loss], step[1 - loss] / -step[loss]);
    }
    return reached;
  }
}
