// The designs of the report: numbers from the page's JSON, texts from its table, whose k-th line is the k-th design.

import { byId, short } from "./dom.js";

export const data = JSON.parse(byId("data").textContent);
export const lines = [...document.querySelectorAll("#answer tbody tr")];
export const names = lines.map((line) => line.cells[0].textContent.trimEnd());
export const everyone = names.map((_, k) => k);
export const objectives = data.objectives.map(({ name }) => name);
export const turned = data.objectives.map(({ direction }) => direction === "smaller");

const { beyond } = data.rows;
const status = data.rows.status.map((n) => data.statuses[n]);
const FIRST = 3;  // the column of the first objective in the table, which has the first ones only
const read = (cell) => (cell.textContent.trim() === "–" ? null : Number(cell.textContent));
const means = objectives.map((_, d) => beyond[d - (objectives.length - beyond.length)] ?? lines.map((line) => read(line.cells[FIRST + d])));
const steps = data.objectives.map(({ unit }, d) => (turned[d] ? -1 : 1) * unit);

export const statusOf = (k) => status[k];
// Cells counted from the end of a line, where the columns that every report has stand.
export const cellOf = (k, place) => lines[k].cells[lines[k].cells.length - place].textContent.trim();
// For whoever points at a design: with a model also how probably it is Pareto optimal, and whether that was measured.
export const standingOf = (k) => (data.model ? `${status[k]}; probably Pareto ${cellOf(k, 4)}, ${cellOf(k, 3)}` : status[k]);
export const isOut = (k) => status[k] !== "kept" && status[k] !== "undecided";
export const isKnown = (k) => means.every((column) => column[k] !== null);
export const valuesOf = (k) => means.map((column) => column[k]);
export const scoreOf = (n, k) => (isKnown(k) ? data.cone.facets[n].reduce((sum, weight, d) => sum + (weight * means[d][k]) / steps[d], 0) : null);
export const halfWidths = (k) => data.half_widths[data.rows.half_widths?.[k]] ?? null;

// An objective that is a weighting by itself has that weighting's confidence, and gives it its name.
const axes = objectives.map((_, d) => data.cone.facets.findIndex((weights) => weights.every((value, e) => Math.abs(value - (d === e ? 1 : 0)) < 1e-12)));

// Numbers along a weighting: [2, 0.5] gives "2 ± 0.5 along w3", or "... in price" in the unit of that objective.
export function along(n, ...numbers) {
  const d = axes.indexOf(n);
  const shown = numbers.map((number) => short(Number((number * (d < 0 ? 1 : data.objectives[d].unit)).toPrecision(4))));
  return `${shown.join(" ± ")} ${d < 0 ? `along w${n + 1}` : `in ${objectives[d]}`}`;
}

// Along the first few weightings.
export function confidence(k, most) {
  const widths = halfWidths(k);
  if (!widths) return "";
  const parts = widths.slice(0, most).map((width, n) => `± ${along(n, Number(width.toPrecision(3)))}`);
  return parts.join(", ") + (widths.length > most ? ", …" : "");
}

// What an axis can show: objectives, and scores under the weightings.
export const scales = [
  ...data.objectives.map(({ name, unit, level }, d) => ({ name, level, of: (k) => means[d][k], facet: axes[d], unit, turned: turned[d] })),
  ...(objectives.length > 1 ? data.cone.facets : []).map((_, n) => ({
    name: `score w${n + 1} = ${data.cone.weightings[n]}`, of: (k) => scoreOf(n, k), facet: n, unit: 1, turned: false, level: null,
  })),
];

// What the confidence allows: |w_n (x - mean)| <= half-width for every n. A box along two weightings, or in the plane of
// two objectives what is left of a large box.
export function region(k, x, y) {
  const widths = halfWidths(k);
  if (!widths || !isKnown(k) || x === y) return null;
  const [across, up] = [scales[x], scales[y]];
  if (across.facet >= 0 && up.facet >= 0) {
    const [h, v] = [widths[across.facet] * across.unit, widths[up.facet] * up.unit];
    return [[-h, -v], [h, -v], [h, v], [-h, v]].map(([dx, dy]) => [across.of(k) + dx, up.of(k) + dy]);
  }
  if (objectives.length !== 2 || x > 1 || y > 1) return null;
  return polygon(widths).map((step) => [x, y].map((d) => means[d][k] + steps[d] * step[d]));
}

function polygon(widths) {
  const reach = (40 * Math.max(...widths)) / Math.min(1, ...data.cone.widths);
  let outline = [[-reach, -reach], [reach, -reach], [reach, reach], [-reach, reach]];
  data.cone.facets.forEach((weights, n) => {
    for (const side of [1, -1]) {
      const over = ([a, b]) => side * (weights[0] * a + weights[1] * b) - widths[n];
      outline = outline.flatMap((point, i) => {
        const other = outline[(i + 1) % outline.length];
        const [a, b] = [over(point), over(other)];
        const kept = a <= 0 ? [point] : [];
        if ((a < 0 && b > 0) || (a > 0 && b < 0)) kept.push(point.map((value, d) => value + ((other[d] - value) * a) / (a - b)));
        return kept;
      });
    }
  });
  return outline;
}

// What an axis shows: all designs, with room for their confidence as far as it leaves the designs apart.
export function extent(scale, there) {
  const values = there.map(scale.of);
  if (!values.length) return [0, 1];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const size = high - low || Math.abs(low) || 1;
  const wide = (k) => { const widths = halfWidths(k); return widths ? scale.unit * (scale.facet >= 0 ? widths[scale.facet] : Math.max(...widths)) : 0; };
  const beyond = (reach) => Math.min(0.25 * size, Math.max(0, reach));
  return [low - beyond(Math.max(...there.map((k) => low - scale.of(k) + wide(k)))), high + beyond(Math.max(...there.map((k) => scale.of(k) + wide(k) - high)))];
}
