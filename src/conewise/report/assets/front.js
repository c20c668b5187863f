// The picture of the first screen: a plane of two axes, or every objective an axis.

import { byId, element, show } from "./dom.js";
import { data, everyone, extent, isKnown, isOut, names, objectives, region, scales, standingOf, statusOf, turned, valuesOf } from "./designs.js";
import { savePicture } from "./files.js";
import { ordered } from "./geometry.js";
import { Parallel } from "./parallel.js";
import { Scatter, lookOf } from "./scatter.js";

const AXES = 12;  // side by side: more cannot be read
const NAMED = 12;  // kept designs whose names are written
const LABEL = "The designs; the arrow keys go through those that are kept or undecided, Enter selects one";
const there = everyone.filter(isKnown);
const marks = lookOf(there.map(statusOf));

const OUT = { covered: ["soft", []], beaten: ["quiet", []], "misses a level": ["quiet", [12, 4]] };  // lines: colour, dashes

let drawing = null;
let chosen = null;

const isParallel = () => objectives.length > 2 && byId("view").value === "parallel";
const within = (value, [low, high]) => (value !== null && value >= low && value <= high ? value : null);
const axes = () => [Number(byId("across").value), Number(byId("up").value)];
const picked = (which) => { const some = there.filter(which); return { index: some, names: some.map((k) => names[k]), values: columns(some) }; };
const columns = (some) => objectives.slice(0, AXES).map((_, d) => some.map((k) => valuesOf(k)[d]));

function feed(select) {
  const kind = isParallel() ? Parallel : Scatter;
  if (!(drawing instanceof kind)) {
    drawing?.end();
    drawing = new kind(byId("front"), LABEL, { select, zoom: setZoom });
  }
  if (kind === Parallel) {
    const quiet = there.filter(isOut);
    const ranges = columns(there).map((column) => [Math.min(...column), Math.max(...column)]);
    drawing.setData({ points: { index: quiet, names: quiet.map((k) => names[k]), values: columns(quiet), looks: quiet.map((k) => OUT[statusOf(k)]) }, ranges, names: objectives.slice(0, AXES), turned });
  } else {
    const shown = (scales.length > 1 ? axes() : [0]).map((n) => scales[n]);
    drawing.setData({
      points: {
        index: there, names: there.map((k) => names[k]), x: there.map(shown[0].of), y: shown.length > 1 ? there.map(shown[1].of) : null,
      },
      ranges: shown.map((scale) => extent(scale, there)), names: shown.map(({ name }) => name), turned: shown.map((scale) => scale.turned), units: shown.map(({ unit }) => unit),
    });
  }
  look();
}

function setZoom(zoom) {
  drawing.setZoom?.(zoom);
  show("unzoom", zoom !== null);
}

function look() {
  const { shortlist, rows } = data;
  if (drawing instanceof Parallel) {
    drawing.setLook({
      levels: scales.slice(0, Math.min(AXES, objectives.length)).map((scale) => within(scale.level, extent(scale, there))),
      front: picked((k) => statusOf(k) === "kept"), open: picked((k) => statusOf(k) === "undecided"), shortlist, status: standingOf,
      selected: chosen !== null && isKnown(chosen) ? { values: valuesOf(chosen) } : null,
    });
    explain(false, false);
    return;
  }
  const [x, y] = axes();
  const shown = (scales.length > 1 ? [x, y] : [0]).map((n) => scales[n]);
  const own = objectives.length === 2 && x === 0 && y === 1;
  const kept = there.filter((k) => statusOf(k) === "kept");
  drawing.setLook({
    edges: own ? ordered(data.cone.rays) : null, ...marks, selected: chosen, shortlist,
    levels: shown.map((scale) => within(scale.level, extent(scale, there))), status: standingOf, named: kept.length <= NAMED ? kept : [],
    rivals: chosen === null ? [] : rows.rivals[chosen].map(([rival]) => rival).filter((rival) => typeof rival === "number"),
    region: chosen === null || scales.length < 2 ? null : region(chosen, x, y),
  });
  explain(true, own);
}

// The legend has what the picture has.
function explain(plane, wedge) {
  for (const [kind, there] of [[".plane", plane], [".lines", !plane], [".wedges", wedge]]) document.querySelectorAll(kind).forEach((item) => { item.hidden = !there; });
}

export function drawFront(selected) {
  chosen = selected;
  look();
}

export function setUpFront(select) {
  show("viewing", objectives.length > 2);
  for (const [id, first] of [["across", 0], ["up", 1]]) {
    byId(id).replaceChildren(...scales.map(({ name }, n) => { const option = element("option", name); option.value = n; return option; }));
    byId(id).value = Math.min(first, scales.length - 1);
    byId(id).addEventListener("change", () => { setZoom(null); feed(select); });
  }
  const ready = () => document.querySelectorAll(".axis").forEach((label) => { label.hidden = isParallel() || scales.length < 2; });
  byId("view").addEventListener("change", () => { ready(); feed(select); });
  byId("unzoom").addEventListener("click", () => setZoom(null));
  byId("save").addEventListener("click", () => savePicture(drawing, "png", "conewise"));
  byId("save-svg").addEventListener("click", () => savePicture(drawing, "svg", "conewise"));
  byId("front").classList.toggle("strip", objectives.length === 1);
  ready();
  feed(select);
}
