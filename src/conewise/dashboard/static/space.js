// Designs of any number of objectives, in steps of which more is better, and who remains where every row of weights must agree.

const ROOM = 1e-4;  // beyond the factor at which a rival ties

const sum = (row, values) => {
  let total = 0;
  for (let d = 0; d < row.length; d += 1) if (row[d] !== 0) total += row[d] * values[d];
  return total;
};

export class Space {
  constructor(points) {
    this.points = points;  // a list of values for each design
    this.missing = null;  // 1 for who misses a level: it is out, and puts nobody else out
    this.beaten = new Uint8Array(points.length);
  }

  // Marks who is beaten, and says how many are not. Strong designs come first, so that whoever beats a design is known by
  // then: sums keep the order, and where rounding makes them equal the first facet that differs decides.
  front(rows) {
    const { points, beaten, missing } = this;
    const facets = points.map((values) => rows.map((row) => sum(row, values)));
    const totals = facets.map((values) => values.reduce((total, value) => total + value, 0));
    const byFacets = (i, j) => { const n = facets[i].findIndex((value, place) => value !== facets[j][place]); return n < 0 ? 0 : facets[j][n] - facets[i][n]; };
    const order = points.map((_, k) => k).filter((k) => !missing?.[k]).sort((i, j) => totals[j] - totals[i] || byFacets(i, j));
    const kept = [];
    beaten.fill(1);
    for (const k of order) {
      const at = kept.findIndex((values) => isAhead(values, facets[k]));
      if (at < 0) {
        beaten[k] = 0;
        kept.push(facets[k]);
      } else if (at > 0) [kept[at], kept[at >> 1]] = [kept[at >> 1], kept[at]];  // who beats many is asked early
    }
    return points.length - beaten.reduce((total, one) => total + one, 0);
  }

  // The least share of the weight, alike for all objectives and in %, at which each design leaves that remains without any, or
  // null: a step whose least gain is m and whose sum is S beats from the share -m / (S - D m) on. Empty where more than `most` remain.
  leaving(most) {
    const dim = this.points[0].length;
    const all = new Space(this.points);
    all.missing = this.missing;
    all.front(this.points[0].map((_, d) => this.points[0].map((_one, e) => Number(d === e))));
    const there = this.points.filter((_, k) => !all.beaten[k]);
    if (there.length > most) return [];
    return there.map((mine) => {
      let end = Infinity;
      for (const other of there) {
        let [total, least] = [0, Infinity];
        for (let d = 0; d < dim; d += 1) {
          const gain = other[d] - mine[d];
          total += gain;
          if (gain < least) least = gain;
        }
        if (total > 0) end = Math.min(end, (-100 * least) / (total - dim * least));
      }
      return Number.isFinite(end) ? end : null;
    });
  }

  // How far other designs are ahead of design k, in steps, where they beat it: [design, steps].
  #ahead(k, rows) {
    const mine = this.points[k];
    return this.points.map((values, j) => [j, values.map((value, d) => value - mine[d])])
      .filter(([j, step]) => !this.missing?.[j] && step.some((value) => value !== 0) && rows.every((row) => sum(row, step) >= 0));
  }

  // Who of those that remain beats design k, the clearest first.
  rivals(k, rows) {
    const lengths = rows.map((row) => Math.hypot(...row));
    return this.#ahead(k, rows).filter(([j]) => !this.beaten[j])
      .map(([j, step]) => [Math.min(...rows.map((row, n) => sum(row, step) / lengths[n])), j])
      .sort((a, b) => b[0] - a[0] || a[1] - b[1]).map(([, j]) => j);
  }

  // The smallest change of the rows under which design k remains, { factor, rows }; null where there is none. As on the
  // server: a rival stays ahead while its gains outweigh `factor` times its losses in every row.
  change(k, rows) {
    if (rows.some((row) => row.some((weight) => weight < 0))) return null;
    let rivals = this.#ahead(k, rows).map(([, step]) => {
      const ratios = rows.map((row) => {
        const lost = sum(row, step.map((value) => Math.max(0, -value)));
        return lost > 0 ? sum(row, step.map((value) => Math.max(0, value))) / lost : Infinity;
      });
      return { step, ratio: Math.min(...ratios), row: rows[ratios.indexOf(Math.min(...ratios))] };
    });
    const factor = Math.max(1, ...rivals.map(({ ratio }) => ratio)) * (1 + ROOM);
    if (!Number.isFinite(factor)) return null;
    const found = [...rows];
    while (rivals.length) {
      const last = rivals.reduce((one, other) => (other.ratio > one.ratio ? other : one));
      const more = last.row.map((weight, d) => (last.step[d] < 0 ? factor * weight : weight));
      found.push(more);
      rivals = rivals.filter((rival) => rival !== last && sum(more, rival.step) >= 0);
    }
    return { factor, rows: found };
  }
}

function isAhead(one, other) {
  let differ = false;
  for (let n = 0; n < one.length; n += 1) {
    if (one[n] < other[n]) return false;
    if (one[n] > other[n]) differ = true;
  }
  return differ;
}

// The exchanges of which a change asks most more, [loss, gain, before, after] for 1 of the loss, in steps.
export function movedExchanges(before, after, most) {
  const wanted = (rows, i, j) => Math.max(...rows.filter((row) => row[i] > 0).map((row) => row[i] / row[j]));
  const pairs = before[0].flatMap((_, i) => before[0].map((_one, j) => [i, j])).filter(([i, j]) => i !== j);
  return pairs.map(([i, j]) => [i, j, wanted(before, i, j), wanted(after, i, j)])
    .filter(([, , then, now]) => Number.isFinite(now) && now > then * 1.001)
    .sort((a, b) => b[3] / b[2] - a[3] / a[2]).slice(0, most);
}

// Weightings of three objectives that are corners of the part of the triangle which they span, one after the other.
export function cornersOf(rows) {
  const weights = rows.map((row) => { const total = row.reduce((all, weight) => all + weight, 0); return row.map((weight) => weight / total); })
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const side = (list) => list.reduce((found, point) => {
    while (found.length > 1 && turn(found.at(-2), found.at(-1), point) <= 1e-12) found.pop();
    return [...found, point];
  }, []).slice(0, -1);
  return [...side(weights), ...side(weights.toReversed())];
}
