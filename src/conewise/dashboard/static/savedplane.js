// A saved page of one or two objectives: any exchange, by the sentence, the slider and the wedge.

import { byId, show } from "./dom.js";
import { Plane, planar } from "./geometry.js";
import { setLevel } from "./levels.js";
import { choose, data, drawPage, everyone, levelsDrawn, missed, ready, setUpPage, turned } from "./offline.js";
import { held, inSteps, setEdges, settle } from "./preference.js";
import { waysBack } from "./returning.js";
import { Scatter, lookOf } from "./scatter.js";
import { drawSentence, setUpSentence } from "./sentence.js";
import { drawCurve, drawTrade, setUpTrade } from "./trade.js";
import { statusOf } from "./verdicts.js";

const RESTING = 150;  // milliseconds without a move of a level, before the curve behind the slider follows
const [FIRST, LAST, STEP] = [1, 179, 0.5];  // degrees at which designs are counted for it: about one a pixel

const isPlane = data.objectives.length === 2;
const steps = inSteps(data);
const columns = data.values.map((column, d) => column.map((value) => steps[d] * value));
const marks = data.study ? lookOf(everyone.map((k) => statusOf(data, k))) : null;
let base = "";  // as it was saved
const plane = new Plane(columns[0], columns[1] ?? columns[0].map(() => 0));
let drawnLevels = null;  // the levels of the curve
let counting = 0;

const drawing = new Scatter(byId("plot-first"), "Designs and those that remain; the arrow keys go through those that remain, Enter selects one", {
  select: choose,
  zoom: (view) => drawing.setZoom(view),
  level: setLevel,
  turn: isPlane ? turn : null,
});

function turn(edge, ray) {
  const next = [...held.edges];
  next[edge] = ray;
  if (next[0][0] * next[1][1] - next[0][1] * next[1][0] < 0.01 || next[0][0] < 0.01 || next[1][1] < 0.01) return;
  setEdges(next);
  changed();
}

function changed() {
  settle();
  const edges = isPlane ? held.edges : planar(90);
  if (!edges) return;
  plane.missing = missed();
  const count = plane.front(edges);
  if (isPlane) drawTrade(count);
  drawSentence(null);
  drawPage(count);
  const now = JSON.stringify(levelsDrawn());
  if (!isPlane || now === drawnLevels) return;
  drawnLevels = now;
  clearTimeout(counting);
  counting = setTimeout(countAll, RESTING);
}

// How many remain at every angle, and a tick wherever somebody leaves: planar cones are nested.
function countAll() {
  const [curve, degrees] = [[], []];
  let last = null;
  for (let angle = FIRST; angle <= LAST; angle += STEP) {
    const count = plane.front(planar(angle));
    if (Number.isInteger(angle)) curve.push([angle, count]);
    if (last !== null && count < last) degrees.push(angle);
    last = count;
  }
  plane.front(held.edges);
  drawCurve({ curve, degrees });
}

const places = { get: (k) => k };  // every design is in the plane, in this order
setUpPage({
  stays: (k) => !plane.beaten[k],
  rivals: (k) => plane.rivals(k, held.edges ?? planar(90)),
  ways: (k) => (isPlane ? waysBack({ start: data, selected: { index: k, beaten_by: 1 }, plane, points: { place: places } }, changed) : []),
  look: (chosen, status) => drawing.setLook({ edges: isPlane ? held.edges : null, beaten: plane.beaten, selected: chosen, shortlist: data.shortlist, status, levels: levelsDrawn(), ...(data.study ? marks : { groups: null, quiet: null }) }),
  isAsSaved: () => !isPlane || JSON.stringify(held.base) === base,
  restore: () => { if (isPlane) setEdges(data.edges); },
}, changed);
Object.assign(held, { dim: data.objectives.length, steps });
setUpTrade(changed);
setUpSentence(data, changed);
show("trade", isPlane);
document.querySelectorAll(".wedges").forEach((item) => { item.hidden = !isPlane; });
drawing.setData({ points: { index: everyone, names: data.names, x: data.values[0], y: data.values[1] ?? null }, ranges: data.ranges, names: data.objectives, turned, units: data.units });
if (isPlane) setEdges(data.edges);
base = JSON.stringify(held.base);
changed();
ready();
