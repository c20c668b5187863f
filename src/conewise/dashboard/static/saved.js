// A page that was saved: no server, the same picture, and a control that still works.

import { byId, chooser, element, say, short, show, spread, traded, whole } from "./dom.js";
import { Plane } from "./geometry.js";
import { Parallel } from "./parallel.js";
import { held, inSteps, setEdges, settle } from "./preference.js";
import { waysBack, wordsBack } from "./returning.js";
import { Scatter } from "./scatter.js";
import { drawSentence, setUpSentence } from "./sentence.js";
import { drawCurve, drawTrade, setUpTrade } from "./trade.js";

const PAUSE = 60;  // milliseconds without a move, before the list follows
const LISTED = 400;
const RIVALS = 10;

const data = JSON.parse(byId("data").textContent);
const dim = data.objectives.length;
const turned = data.objectives.map((name) => data.minimised.includes(name));
const everyone = data.names.map((_, k) => k);

let stays = (k) => data.saved.includes(k);
let edges = null;
let chosen = null;
let pausing = 0;
let plane = null;
let drawing = null;

function drawNames() {
  const there = everyone.filter((k) => stays(k));
  const items = spread(there, LISTED).map((k) => { const made = element("li"); made.append(chooser(data.names[k], k, choose)); return made; });
  if (there.length > items.length) items.push(element("li", `${whole(items.length)} of ${whole(there.length)} are listed.`, "none"));
  byId("names").replaceChildren(...items);
  if (chosen !== null) drawChosen();
}

function later() {
  clearTimeout(pausing);
  pausing = setTimeout(drawNames, PAUSE);
}

function choose(k) {
  chosen = k;
  drawChosen();
  look();
}

function drawChosen() {
  const list = element("dl");
  data.objectives.forEach((name, place) => list.append(element("dt", name), element("dd", short(data.values[place][chosen]))));
  list.append(element("dt", "Now"), element("dd", stays(chosen) ? "remains: nothing beats it" : "beaten"));
  const parts = [element("p", data.names[chosen], "chosen-name"), list];
  const rivals = plane && !stays(chosen) ? plane.rivals(chosen, edges) : [];
  if (rivals.length) {
    const by = element("ul", null, "rivals");
    by.append(...rivals.slice(0, RIVALS).map((k) => {
      const item = element("li");
      const values = (design) => data.values.map((column) => column[design]);
      item.append(chooser(data.names[k], k, choose), element("span", `: ${traded(data.objectives, values(chosen), values(k))}`));
      return item;
    }));
    parts.push(element("h3", "Better, the clearest first"), by);
    const places = { get: (k) => k };  // every design is in the plane, in this order
    parts.push(...wordsBack(waysBack({ start: data, selected: { index: chosen, beaten_by: rivals.length }, plane, points: { place: places } }, changed)));
  }
  byId("selected").replaceChildren(...parts);
}

function look() {
  const status = (k) => (stays(k) ? "remains" : "beaten");
  if (drawing instanceof Scatter) {
    drawing.setLook({ edges, beaten: Uint8Array.from(everyone, (k) => (stays(k) ? 0 : 1)), selected: chosen, shortlist: data.shortlist, status });
    return;
  }
  const there = everyone.filter((k) => stays(k));
  drawing.setLook({
    front: { index: there, names: there.map((k) => data.names[k]), values: data.values.map((column) => there.map((k) => column[k])) },
    selected: chosen === null ? null : { values: data.values.map((column) => column[chosen]) }, shortlist: data.shortlist,
  });
}

// -- two objectives: any exchange --------------------------------------------------------------------------------------

function changed() {
  settle();
  if (!held.edges) return;
  edges = held.edges;
  const count = plane.front(edges);
  say("refusal", "");
  say("pareto", whole(count));
  drawSentence(null);
  drawTrade(count);
  look();
  later();
}

function two() {
  const steps = inSteps(data);
  plane = new Plane(...data.values.map((column, d) => column.map((value) => steps[d] * value)));
  stays = (k) => !plane.beaten[k];
  Object.assign(held, { dim: 2, steps });
  setUpTrade(changed);
  setUpSentence(data, changed);
  show("trade", true);
  drawing = new Scatter(byId("plot-first"), "Designs and those that remain; the arrow keys go through those that remain, Enter selects one", {
    select: choose,
    zoom: (view) => drawing.setZoom(view),
    turn: (edge, ray) => {
      const next = [...held.edges];
      next[edge] = ray;
      if (next[0][0] * next[1][1] - next[0][1] * next[1][0] < 0.01 || next[0][0] < 0.01 || next[1][1] < 0.01) return;
      setEdges(next);
      changed();
    },
  });
  drawing.setData({ points: { index: everyone, names: data.names, x: data.values[0], y: data.values[1] }, ranges: data.ranges, names: data.objectives, turned, units: data.units });
  if (data.angles) drawCurve(data.angles);
  setEdges(data.edges);
  changed();
}

// -- more: the least share of every objective, found out when the page was saved -----------------------------------------

function many() {
  const slider = byId("share");
  const move = (share) => {
    stays = share === null ? (k) => data.saved.includes(k) : (k) => data.until[k] > share;
    say("share-words", share === null ? "Shown: the preference as it was saved." : `Shown: every objective has at least ${share} % of the weight.`);
    say("sentence", share === null ? data.words.join(" ") : share === 0 ? "No objective may get worse." : `Every objective weighs at least ${share} %.`);
    say("pareto", whole(everyone.filter((k) => stays(k)).length));
    look();
    later();
  };
  const points = { index: everyone, names: data.names, values: data.values };
  if (dim > 1) drawing = new Parallel(byId("plot-first"), "Designs and those that remain, every objective an axis", { select: choose });
  else drawing = new Scatter(byId("plot-first"), "Designs and those that remain", { select: choose, zoom: (view) => drawing.setZoom(view) });
  drawing.setData({ points: dim > 1 ? points : { ...points, x: data.values[0], y: null }, ranges: data.ranges, names: data.objectives, turned });
  document.querySelectorAll(".wedges").forEach((item) => { item.hidden = true; });
  show("least", dim > 1);
  slider.max = data.steps - 1;
  slider.addEventListener("input", () => move(Number(slider.value)));
  byId("as-saved").addEventListener("click", () => move(null));
  move(null);
}

say("title", data.title);
say("standing", data.about);
say("designs", whole(data.names.length));
byId("controls").addEventListener("submit", (event) => event.preventDefault());
if (dim === 2 && data.edges) two();
else many();
drawNames();
document.body.dataset.ready = "yes";
