// Which picture shows what: two objectives against each other or all side by side, for one cone or two.

import { brushes, faded, isBrushing, matches } from "./brushing.js";
import { byId, element, say, show, whole } from "./dom.js";
import { ordered } from "./geometry.js";
import { levels } from "./levels.js";
import { Parallel } from "./parallel.js";
import { held } from "./preference.js";
import { Scatter, lookOf } from "./scatter.js";
import { kept } from "./shortlist.js";
import { byAverages, drawLegend, statusOf } from "./verdicts.js";

const LONGEST = 64;  // characters of a cone that say something above a picture
const SIDES = ["first", "second"];
const LABELS = {
  first: "Designs and those that remain; the arrow keys go through those that remain, Enter selects one",
  second: "Designs and those that remain under the compared cone; the arrow keys go through those that remain",
};
const MARKS = { first: ["circle", "blue"], second: ["diamond", "orange"] };

let events = null;
let drawings = {};  // by side
let shownAxes = [];  // the objectives of the picture's axes
let zoom = null;  // for both pictures, as long as they show these objectives
let gathered = null;  // the points of the plane, by what they were made from
let fed = null;  // those that the pictures have
let marked = null;  // the marks of a study's own statuses, by what they were made from

export function setUpPictures(shown, given) {
  const { start } = shown;
  const dim = start.objectives.length;
  events = given;
  show("axes", dim > 2);
  if (!byId("axis-x").children.length) setUpChoice(shown);
  byId("view").value = shown.parallel ? "parallel" : "plane";
  show("plane-axes", !shown.parallel);
  [byId("axis-x").value, byId("axis-y").value] = [shown.axes[0], shown.axes[1] ?? 0];
  for (const side of SIDES) feed(shown, side);
}

function setUpChoice(shown) {
  const again = () => { zoom = null; setUpPictures(shown, events); events.changed(); };
  byId("view").addEventListener("change", () => { shown.parallel = byId("view").value === "parallel"; again(); });
  for (const [side, id] of [[0, "axis-x"], [1, "axis-y"]]) {
    byId(id).replaceChildren(...shown.start.objectives.map((name, place) => {
      const option = element("option", name);
      option.value = place;
      return option;
    }));
    byId(id).addEventListener("change", () => { shown.axes[side] = Number(byId(id).value); again(); });
  }
  byId("unzoom").addEventListener("click", () => setZoom(null));
  byId("unbrush").addEventListener("click", () => events.brush(new Map()));
}

// A stretch of an axis was brushed, or none any more.
export function drawBrushes() {
  show("unbrush", brushes().size > 0);
  for (const drawing of Object.values(drawings)) drawing.setBrushes?.(brushes());
}

// A design that is pointed at in the list.
export function pointAt(index) {
  for (const drawing of Object.values(drawings)) drawing.pointAt(index);
}

export function setZoom(wanted) {
  zoom = wanted;
  show("unzoom", zoom !== null);
  for (const drawing of Object.values(drawings)) drawing.setZoom?.(zoom);
}

// The points of the plane: all designs, or an even sample of them and whoever remains, is selected or kept, so that one can point at it.
function pointsOf({ start: { drawn }, points, answer, selected }) {
  if (points) return points;
  const sampled = gathered?.drawn === drawn ? gathered.sampled : new Set(drawn.index);
  const more = new Map();
  const add = (index, name, values, quiet) => { if (!sampled.has(index) && !more.has(index)) more.set(index, { name, values, quiet }); };
  for (const one of [answer?.first, answer?.second]) {
    one?.points.index.forEach((index, k) => add(index, one.points.names[k], one.points.values.map((column) => column[k]), 0));
  }
  for (const design of [...kept, selected]) if (design?.values) add(design.index, design.name, design.values, 1);
  const about = [...more].map(([index, { quiet }]) => `${index}:${quiet}`).join();
  if (gathered?.drawn === drawn && gathered.about === about) return gathered.points;
  const others = [...more.values()];
  const made = others.length ? {
    index: [...drawn.index, ...more.keys()],
    names: [...drawn.names, ...others.map(({ name }) => name)],
    values: drawn.values.map((column, place) => [...column, ...others.map(({ values }) => values[place])]),
    quiet: [...drawn.index.map(() => 1), ...others.map(({ quiet }) => quiet)],  // 0: has a mark of its own, and no grey one below it
  } : drawn;
  gathered = { drawn, sampled, about, points: made };
  return made;
}

// The picture of the right kind, with the designs in it.
function feed(shown, side) {
  const { start, axes, parallel } = shown;
  const kind = parallel ? Parallel : Scatter;
  if (!(drawings[side] instanceof kind)) {
    drawings[side]?.end();
    const turn = side === "first" && start.objectives.length === 2 ? events.turn : null;
    const level = side === "first" ? (axis, value) => events.level(shownAxes[axis] ?? axis, value) : undefined;
    drawings[side] = new kind(byId(`plot-${side}`), LABELS[side], { select: events.select, point: events.point, zoom: setZoom, brush: events.brush, turn, level });
  }
  const there = pointsOf(shown);
  fed = there;
  const places = parallel ? start.objectives.map((_, place) => place) : axes.filter((place) => place !== null);
  shownAxes = places;
  drawings[side].setData({
    points: parallel ? start.drawn : { index: there.index, names: there.names, quiet: there.quiet, x: there.values[places[0]] ?? [], y: places.length > 1 ? there.values[places[1]] ?? [] : null },
    ranges: places.map((place) => start.ranges[place] ?? [0, 1]),
    names: places.map((place) => start.objectives[place]),
    turned: places.map((place) => start.minimised.includes(start.objectives[place])),
    units: places.map((place) => start.units[place]),
  });
  drawings[side].setZoom?.(zoom);
  drawings[side].setBrushes?.(brushes());
}

const NOTHING = { groups: null, quiet: null };  // no statuses: averages decide

// The marks of a study's own statuses, made once for all that stays the same.
function looked({ start }) {
  if (!start.study) return NOTHING;
  if (marked?.study !== start.study || marked.points !== fed) marked = { study: start.study, points: fed, look: { ...lookOf(Array.from(fed.index, (index) => statusOf(start, index))), front: null } };
  return marked.look;
}

// Those of some points that have a status.
function having(start, { index, names, values }, status) {
  const there = index.map((_, k) => k).filter((k) => statusOf(start, index[k]) === status);
  return { index: there.map((k) => index[k]), names: there.map((k) => names[k]), values: values.map((column) => there.map((k) => column[k])) };
}

const picked = (points, axes) => ({ index: points.index, x: points.values[axes[0]] ?? [], y: axes[1] === null ? null : points.values[axes[1]] ?? [], faded: faded(points) });

// `moving`: the control is on its way, and only the first picture follows; the rest waits for an answer.
export function drawPictures(shown, moving = false) {
  const { start, answer, plane, axes, parallel, selected } = shown;
  const shortlist = kept.map(({ index }) => index);
  const isPlane = plane !== null && !parallel;
  const drawnLevels = shownAxes.map((place) => levels.get(place) ?? null);
  drawLegend(start, levels.size > 0);
  show("legend-short", shortlist.length > 0);
  show("legend-faded", isBrushing());
  if (answer) show("legend-second", answer.second !== null);
  if (!moving && !parallel && pointsOf(shown) !== fed) for (const side of SIDES) feed(shown, side);
  const unseen = parallel ? null : faded(fed);
  if (isPlane) {
    drawings.first.setLook({ edges: held.edges, beaten: plane.beaten, front: null, selected: selected?.index ?? null, shortlist, status: events.status, levels: drawnLevels, faded: unseen, ...looked(shown) });
  }
  if (moving || !answer) return;
  const { first, second } = answer;
  show("figure-second", second !== null);
  byId("plots").classList.toggle("two", second !== null);
  for (const [side, one] of [["first", first], ["second", second]]) {
    if (one === null) continue;
    const name = one.cone.length > LONGEST && side === "first" ? "your preference" : one.cone;
    const study = side === "first" ? start.study : null;
    say(`caption-${side}`, `${name}: ${whole(one.pareto)} ${study ? "kept" : "Pareto"}${byAverages({ ...start, study })}`);
    const [marks, colour] = MARKS[side];
    if (parallel) drawings[side].setLook({ front: study ? having(start, one.points, "kept") : one.points, open: study ? having(start, one.points, "undecided") : null, selected, shortlist, kept, colour, status: side === "first" ? events.status : null, levels: drawnLevels, matches: isBrushing() ? matches : null });
    else if (side === "second" || !isPlane) {
      drawings[side].setLook({
        edges: one.rays ? ordered(one.rays) : null, beaten: null, front: picked(one.points, axes), selected: selected?.index ?? null, shortlist, marks, colour,
        status: side === "first" ? events.status : null, levels: drawnLevels, faded: unseen,
        ...(side === "first" ? looked(shown) : NOTHING),
      });
    }
  }
  show("figure-second", second !== null);
  document.querySelectorAll(".wedges").forEach((item) => { item.hidden = parallel || first.rays === null; });
  note(shown, parallel ? drawings.first.counts : null, isPlane);
}

function note({ start, answer: { first }, points }, lines, isPlane) {
  const quiet = lines?.quiet ?? (points ?? start.drawn).index.length;
  const front = lines?.front ?? (isPlane ? first.pareto : first.points.index.length);
  const notes = [];
  if (quiet + start.unknown < start.designs) notes.push(`${whole(quiet)} of ${whole(start.designs)} designs are drawn in grey, an even sample`);
  if (front < first.pareto) notes.push(`${whole(front)} of ${whole(first.pareto)} Pareto designs are drawn`);
  if (start.unknown) notes.push(`${whole(start.unknown)} designs have no evaluation yet`);
  say("drawn", notes.length ? `${notes.join("; ")}.`.replace(/^./, (letter) => letter.toUpperCase()) : "");
}

export const picture = () => drawings.first;
