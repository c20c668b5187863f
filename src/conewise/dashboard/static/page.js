// The explorer: one preference, seen through several controls. With two objectives the page finds the front itself at every
// move; the server answers when the control rests, and for everything else.

import { note, read } from "./address.js";
import { Refusal, ask, latest, sentence } from "./api.js";
import { drawControls, setUp } from "./controls.js";
import { byId, large, say, show, whole } from "./dom.js";
import { drawDuel, drawSaid, setUpDuels } from "./duels.js";
import { assumptions, setUpForm } from "./form.js";
import { Plane } from "./geometry.js";
import { areAlike, drawLeast, drawLeaving, setUpLeast } from "./least.js";
import { drawLevels, levelsAsked, levelsNoted, misses, missing, restoreLevels, setLevel, setUpLevels } from "./levels.js";
import { counted, drawCards, drawDifference, drawMoved, drawMoves, drawSelected, drawWords } from "./lists.js";
import { confidenceOf, drawStanding, drawUpcoming, loadConfidence, setUpLive } from "./live.js";
import { drawBrushes, drawPictures, picture, pointAt, setUpPictures, setZoom } from "./pictures.js";
import { asked, baseOf, held, inSteps, isBase, isSaid, setEdges, settle } from "./preference.js";
import { waysBack } from "./returning.js";
import { setUpSaving } from "./saving.js";
import { drawSentence, setUpSentence } from "./sentence.js";
import { drawShortlist, isKept, kept, setUpShortlist, toggle } from "./shortlist.js";
import { drawSteps } from "./steps.js";
import { drawTable, markRow, setUpTable, wanted } from "./table.js";
import { drawCurve, drawTrade, setUpTrade } from "./trade.js";
import { byAverages, drawRemain, statusOf } from "./verdicts.js";

const BETWEEN_LOOKS = 1000;  // milliseconds
const RESTING = 300;  // milliseconds without a move, before what takes longer is asked
const PAUSE = 90;  // milliseconds without a move, before the server hears of what the page has already drawn

const NOBODY = [...byId("selected").childNodes];  // the card of the selected design, where there is none

export const shown = { start: null, answer: null, selected: null, axes: [0, 1], parallel: false, plane: null, points: null, angles: null, shares: null };

let resting = 0;
let asking = 0;
let picked = null;  // the design that was selected last, whether or not its answer has come
let picks = 0;  // counts the selections, so that a late answer does not bring back an earlier one
let keeping = false;  // whether the next answer is to be kept for comparison
let rested = null;  // the cone and the levels at which the controls last stood still
let moving = 0;  // counts the moves, so that the server too knows which question is the last one
let waiting = new AbortController();  // for what takes longer: a browser has few connections to one server
let turning = 0;  // counts what was asked of the list
let own = null;  // the preference and the levels of which the study itself speaks, once the server has said so
let plain = {};  // how the page opens
const page = Math.random().toString(36).slice(2);

const ready = () => document.body.dataset.ready === "yes";

const question = (more = {}) => ({ first: asked(), ...levelsAsked(), ...assumptions(), page, move: moving, ...more });

function trouble(error, place) {
  if (!(error instanceof Refusal)) throw error;
  say(place, error.message);
  if (place === "problem") show("problem", true);
}

// A control has moved: what the page can find out itself is drawn at once.
function changed() {
  moving += 1;
  waiting.abort();
  waiting = new AbortController();
  clearTimeout(resting);
  clearTimeout(asking);
  settle();
  if (!drawHere()) { update(); return; }
  asking = setTimeout(update, PAUSE);
}

function drawHere() {
  drawLevels();
  if (!shown.plane || !held.edges) return false;
  if (noted() !== own) shown.start.study = null;
  const count = findFront();
  drawRemain(shown.start, whole(count));
  drawSentence(shown.answer);
  drawTrade(count);
  drawPictures(shown, true);
  return true;
}

function findFront() {
  const { plane, points } = shown;
  plane.missing = missing(points.values);
  return plane.front(held.edges);
}

// The answer to where the controls stand; null when it was refused or overtaken, and the last one stays.
async function consult(more, signal = null) {
  const [move, turned] = [moving, turning];
  const second = byId("second").value.trim();
  try {
    const found = await ask("front", question({
      second: second ? { text: second } : null, before: rested, table: wanted, ...more,
    }), signal);
    if (move !== moving) return null;
    if (turned !== turning) turn();  // the list that came is not the one that is wanted by now
    say("refusal", "");
    say("second-refusal", sentence(found.second_error ?? ""));
    return found;
  } catch (error) {
    if (move === moving) {
      keeping = false;
      trouble(error, "refusal");
    }
    return null;
  }
}

const update = latest(async () => {
  clearTimeout(resting);
  const found = await consult({ quick: true });
  if (found === null) return;
  take(found);
  if (keeping) {
    keeping = false;
    byId("second").value = found.first.cone;
    changed();
    return;
  }
  if (found.estimated) resting = setTimeout(count, RESTING);
  else resting = setTimeout(rest, RESTING);
});

const noted = () => JSON.stringify([asked(), levelsNoted()]);

function take(found) {
  shown.start.study = found.first.study;
  if (found.first.study) own = noted();
  held.views = found.first.views;
  if (found.first.rays) {
    settle(found.first.rays);
    if (shown.plane) findFront();
  }
  drawNumbers(found);
  if (found.estimated) return;
  shown.answer = found;
  drawLists();
  drawPictures(shown);
}

// A front that was estimated while the control moved is counted when it stands still.
async function count() {
  const move = moving;
  const found = await consult({}, waiting.signal);
  if (found === null || move !== moving) return;
  take(found);
  await rest();
}

// The list alone: sorted, filtered or turned to another page.
function turn() {
  turning += 1;
  if (shown.answer) drawPictures(shown);
  turnNow();
}

const turnNow = latest(async () => {
  if (!shown.answer) return;
  const move = moving;
  try {
    const table = await ask("table", question({ table: wanted }));
    if (move !== moving) return;  // a control has moved meanwhile, and the list of where it stands now comes with its front
    shown.answer.table = table;
    drawTable(shown.answer.table, shown.selected, choose);
  } catch (error) {
    trouble(error, "refusal");
  }
});

async function rest() {
  const move = moving;
  rested = { text: shown.answer.first.cone, ...levelsAsked() };
  remember();
  const isDue = (shown.angles || held.dim > 2) && (shown.angles ?? shown.shares)?.levels !== JSON.stringify(levelsNoted());
  if (isDue) {
    await loadLeaving().catch((error) => { if (move === moving) trouble(error, "refusal"); });
    if (move === moving) drawLists();
  }
  if (shown.selected) await choose(picked ?? shown.selected.index, false);
  await drawDuel();
  if (shown.start.live) await drawUpcoming(choose).catch((error) => trouble(error, "next-words"));
  try {
    const { rate } = await ask("hardness", question(), waiting.signal);
    if (move !== moving) return;
    say("hardness", `If these values were the true means, ${rate < shown.start.designs
      ? "the gap-dependent lower bound would rule nothing out: it is below one evaluation of each design"
      : `every correct rule would need on the order of ${large(rate)} evaluations`} `
      + "(sigma² H log(1/delta), up to a constant).");
  } catch (error) {
    if (move === moving) trouble(error, "hardness");
  }
}

function drawNumbers(found) {
  const { first, second } = found;
  drawCards(shown.start, found);
  drawRemain(shown.start, counted(first.pareto, found));
  drawSentence(found);
  drawTrade(whole(first.pareto));
  if (held.dim > 2) drawLeast(first.views.shares, byId("pareto").textContent);
  drawControls(first.cone);
  drawSaid(first.said);
  byId("export").value = first.cone;
  byId("command").value = shown.start.command === null ? "" : `${shown.start.command} ${first.option}`;
  byId("report-command").value = shown.start.report === null ? "" : [shown.start.report, ...(shown.start.live ? [] : [first.option]), "--shortlist shortlist.csv"].join(" ");
  drawWords(first.words);
  show("drop", second !== null);
  show("counting", found.estimated);
  show("moved", !found.estimated);
}

function drawLists() {
  const { answer, angles } = shown;
  drawTable(answer.table, shown.selected, choose);
  drawMoved(answer.moved, shown.start.study);
  drawDifference(shown.start, answer, choose);
  const degrees = held.views.degrees;
  show("angles", angles !== null && degrees !== null);
  if (angles !== null && degrees !== null) drawMoves(angles, degrees, choose);
  drawShortlist(choose, standing);
}

// Where a design stands; empty where the page cannot know.
function standing(index) {
  const { plane, points, answer, start } = shown;
  if (start.study) return statusOf(start, index) ?? "";
  if (plane) {
    const place = points.place.get(index);
    return place === undefined ? "" : plane.missing?.[place] ? "misses a level" : plane.beaten[place] ? "beaten" : "remains";
  }
  if (answer?.first.points.index.includes(index)) return "remains";
  const there = valuesOf(index);
  if (there && misses(there)) return "misses a level";
  return answer && answer.first.pareto === answer.first.points.index.length ? "beaten" : "";
}

function valuesOf(index) {
  const { drawn } = shown.start;
  const place = drawn.index.indexOf(index);
  return place >= 0 ? drawn.values.map((column) => column[place]) : kept.find((design) => design.index === index)?.values ?? null;
}

async function choose(index, redraw = true) {
  if (redraw) {
    picks += 1;
    picked = index;
  }
  const [before, pick] = [shown.selected?.index, picks];
  let found;
  try {
    found = await ask("design", question({ index }));
  } catch (error) {
    trouble(error, "refusal");
    return;
  }
  if (pick !== picks) return;  // another design was selected meanwhile
  shown.selected = found;
  drawChosen();
  if (!redraw || !shown.answer) return;
  if (before !== index) remember();
  drawTable(shown.answer.table, shown.selected, choose);
  drawPictures(shown);
}

// Where the slider lets designs go, if it says the present preference.
function leaving() {
  const { degrees = 90, shares = [] } = held.views ?? {};
  return { angles: degrees === null ? null : shown.angles, shares: areAlike(shares) ? shown.shares : null };
}

const drawChosen = () => drawSelected(shown.start, shown.selected, leaving(), waysBack(shown, changed), { onSelect: choose, isKept, onKeep: toggle });

function shortlisted() {
  drawShortlist(choose, standing);
  if (shown.selected) drawChosen();
  remember();
  drawPictures(shown);
}

// -- the address -------------------------------------------------------------------------------------------------------

const state = () => ({
  base: held.base, said: held.said, selected: shown.selected?.index ?? null, list: kept.map(({ index }) => index),
  second: byId("second").value, axes: shown.axes, view: shown.parallel, levels: levelsNoted(),
});

function remember() { if (ready()) note(state(), plain); }

async function restore(found) {
  const wantedState = { ...plain, ...found };
  held.base = isBase(wantedState.base, held.dim) ? wantedState.base : plain.base;
  held.said = Array.isArray(wantedState.said) ? wantedState.said.filter((statement) => isSaid(statement, held.dim)) : [];
  restoreLevels(wantedState.levels);
  byId("second").value = String(wantedState.second ?? "");
  if (Array.isArray(wantedState.axes) && wantedState.axes.every((place) => place === null || shown.start.objectives[place] !== undefined)) shown.axes = wantedState.axes;
  shown.parallel = wantedState.view === true;
  kept.length = 0;
  for (const index of Array.isArray(wantedState.list) ? wantedState.list.slice(0, 50) : []) {
    try {
      const { name, values } = await ask("design", { first: plain.base, index });
      if (!isKept(index)) kept.push({ index, name, values });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;  // a design that is not there is not kept
    }
  }
  shown.selected = null;
  picks += 1;
  picked = Number.isInteger(wantedState.selected) ? wantedState.selected : null;
  if (picked !== null) await choose(picked, false);
  if (shown.selected === null) byId("selected").replaceChildren(...NOBODY);
}

// A link to a part of the page leaves the address alone, since that holds the preference.
function skip(event) {
  event.preventDefault();
  const there = byId(event.target.hash.slice(1));
  there.focus({ preventScroll: true });
  there.scrollIntoView();
}

// -- the beginning -----------------------------------------------------------------------------------------------------

async function load() {
  const start = await ask("start");
  start.study = shown.start?.study ?? null;  // until the next answer
  shown.start = start;
  say("title", start.title);
  document.title = `${start.title} – conewise explorer`;
  drawStanding(start.standing);
  await loadConfidence(start);
  [shown.angles, shown.shares, shown.plane, shown.points] = [null, null, null, null];
  if (start.objectives.length !== 2 || start.unknown === start.designs) return;
  const [, { points }] = await Promise.all([loadLeaving(), ask("points")]);
  if (!points) return;
  const steps = inSteps(start);
  shown.points = { ...points, place: new Map(points.index.map((index, k) => [index, k])) };
  shown.plane = new Plane(...points.values.map((column, d) => column.map((value) => steps[d] * value)));
}

// Who leaves at which angle, or at which least share of the weight; that depends on the levels.
async function loadLeaving() {
  const levels = JSON.stringify(levelsNoted());
  const isPlane = shown.start.objectives.length === 2;
  const found = { ...await ask(isPlane ? "angles" : "shares", { ...levelsAsked(), page, move: moving }, isPlane ? null : waiting.signal), levels };
  shown[isPlane ? "angles" : "shares"] = found;
  if (!isPlane) drawLeaving(found);
  else if (ready()) drawCurve(found);
}

// With one objective there is nothing to trade, and a level is all that one can say.
function setUpAlone() {
  const levelled = document.querySelector(".levelled");
  levelled.classList.add("trade");
  byId("controls").prepend(levelled);
  for (const part of document.querySelectorAll(".ways, .compare")) part.hidden = true;
}

// A study goes on: look, and draw again when its averages have moved.
async function watch() {
  try {
    if (!ready()) await begin();
    const now = await ask("standing");
    shown.start.standing = now.standing;
    drawStanding(now.standing);
    if (now.version !== shown.start.version) {
      await load();
      setUpPictures(shown, pictureEvents);
      moving += 1;
      await update();
    }
    show("problem", false);
    say("problem", "");
  } catch (error) {
    trouble(error, "problem");
  }
  setTimeout(watch, BETWEEN_LOOKS);
}

const pictureEvents = {
  select: (index) => choose(index),
  changed: () => { if (shown.answer) drawPictures(shown); remember(); },
  turn: (edge, ray) => {
    const edges = [...held.edges];
    edges[edge] = ray;
    const opening = edges[0][0] * edges[1][1] - edges[0][1] * edges[1][0];
    if (opening < 0.01 || edges[0][0] < 0.01 || edges[1][1] < 0.01) return;
    setEdges(edges);
    changed();
  },
  brush: (ranges) => {
    wanted.between = Object.fromEntries(ranges);
    wanted.offset = 0;
    drawBrushes();
    turn();
  },
  level: setLevel,
  point: markRow,
  status: (index) => [...(shown.start.study ? [] : [`${standing(index)}${standing(index) && byAverages(shown.start)}`]), ...confidenceOf(index)],
};

async function begin() {
  await load();
  const { start } = shown;
  const dim = start.objectives.length;
  held.dim = dim;
  held.steps = inSteps(start);
  held.base = baseOf(start.cone, dim);
  shown.axes = dim > 1 ? [0, 1] : [0, null];
  shown.parallel = dim > 3;
  plain = { base: held.base, said: [], selected: null, list: [], second: "", axes: [...shown.axes], view: shown.parallel, levels: start.levels };
  setUp(start, changed);
  setUpLevels(start, changed);
  restoreLevels(start.levels);
  setUpTrade(changed);
  setUpSentence(start, changed);
  setUpDuels(start, changed);
  setUpShortlist(start, shortlisted, picture);
  setUpTable(start, turn, pointAt);
  setUpForm(start, changed);
  byId("second").addEventListener("input", changed);
  byId("keep").addEventListener("click", () => { keeping = true; clearTimeout(asking); update(); });
  byId("drop").addEventListener("click", () => { byId("second").value = ""; changed(); byId("second").focus(); });
  setUpSaving(shown);
  setUpLive(start);
  show("trade", dim === 2);
  show("least", dim > 2);
  if (dim > 2) setUpLeast(dim, (shares) => { held.base = { shares }; changed(); });
  if (dim > 2) byId("least").after(document.querySelector(".ways"));  // the other ways are beside the picture as well
  if (dim === 1) setUpAlone();
  drawSteps(start);
  for (const link of document.querySelectorAll(".skip")) link.addEventListener("click", skip);
  if (window.location.hash) await restore(read());
  drawLevels();
  setUpPictures(shown, pictureEvents);
  if (shown.angles) drawCurve(shown.angles);
  settle();
  await update();
  if (!shown.answer && window.location.hash) {  // a preference that is refused here is as if it were not there
    [held.base, held.said] = [plain.base, []];
    settle();
    await update();
  }
  rested = shown.answer ? { text: shown.answer.first.cone, ...levelsAsked() } : null;
  window.addEventListener("popstate", async () => { await restore(read()); setZoom(null); changed(); });
  document.body.dataset.ready = "yes";
}

try {
  await begin();
} catch (error) {
  trouble(error, "problem");
}
if (!ready() || shown.start.live) setTimeout(watch, BETWEEN_LOOKS);
