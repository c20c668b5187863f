// The explorer: one state, one question to the server whenever it changes, and everything drawn from the answer.

import { Refusal, ask, latest, sentence } from "./api.js";
import { preference, remember, setUp, state } from "./controls.js";
import { byId, element, large, say, show, whole } from "./dom.js";
import { drawCards, drawDifference, drawMoved, drawMoves, drawSelected, drawStanding, drawWords } from "./lists.js";
import { drawAngles, drawCone, drawFront, drawParallel } from "./pictures.js";
import { drawTable, setUpTable, wanted } from "./table.js";

const BETWEEN_LOOKS = 1000;  // milliseconds
const RESTING = 300;  // milliseconds without a move, before what takes longer is asked

let start = null;
let answer = null;  // the last one that was counted
let angles = null;
let selected = null;  // { index, name, values, ... }
let axes = [0, 1];
let parallel = false;
let resting = 0;
let rested = null;  // the cone at which the control last stood still
let moving = 0;  // counts the moves, so that the server too knows which question is the last one
let waiting = new AbortController();  // for what takes longer: a browser has few connections to one server
const page = Math.random().toString(36).slice(2);

const ready = () => document.body.dataset.ready === "yes";

function assumptions() {
  const given = {};
  for (const id of ["sigma", "epsilon", "delta"]) {
    const field = byId(id);
    if (!field.disabled && Number.isFinite(field.valueAsNumber)) given[id] = field.valueAsNumber;
  }
  return given;
}

const question = (more = {}) => ({ first: preference(), ...assumptions(), page, move: moving, ...more });

function trouble(error, place) {
  if (!(error instanceof Refusal)) throw error;
  say(place, error.message);
  if (place === "problem") show("problem", true);
}

// The answer to where the controls stand; null when it was refused or overtaken, and the last one stays.
async function consult(more, signal = null) {
  const move = moving;
  const second = byId("second").value.trim();
  try {
    const found = await ask("front", question({
      second: second ? { text: second } : null, before: rested === null ? null : { text: rested }, table: wanted, ...more,
    }), signal);
    if (move !== moving) return null;
    say("refusal", "");
    say("second-refusal", sentence(found.second_error ?? ""));
    return found;
  } catch (error) {
    if (move === moving) trouble(error, "refusal");
    return null;
  }
}

const update = latest(async (overtaken) => {
  moving += 1;
  waiting.abort();
  waiting = new AbortController();
  clearTimeout(resting);
  const found = await consult({ quick: true });
  if (found === null) return;
  drawNumbers(found);
  if (found.estimated) {
    resting = setTimeout(count, RESTING);
    return;
  }
  answer = found;
  drawLists();
  await painted();
  if (overtaken()) return;  // numbers follow every move; pictures, which take longer, the last one
  drawPictures();
  resting = setTimeout(rest, RESTING);
});

// A front that was estimated while the control moved is counted when it stands still.
async function count() {
  const move = moving;
  const found = await consult({}, waiting.signal);
  if (found === null || move !== moving) return;
  answer = found;
  drawNumbers(answer);
  drawLists();
  drawPictures();
  await rest();
}

// The list alone: sorted, filtered or turned to another page.
const turn = latest(async () => {
  if (!answer) return;
  try {
    answer.table = await ask("table", question({ table: wanted }));
    drawTable(answer.table, selected, choose);
  } catch (error) {
    trouble(error, "refusal");
  }
});

async function rest() {
  const move = moving;
  rested = answer.first.cone;
  if (selected) await choose(selected.index, false);
  try {
    const { rate } = await ask("hardness", question(), waiting.signal);
    if (move !== moving) return;
    say("hardness", `If these values were the true means, ${rate < 1
      ? "the gap-dependent lower bound would rule nothing out: it is below one evaluation"
      : `every correct rule would need on the order of ${large(rate)} evaluations`} `
      + "(sigma² H log(1/delta), up to a constant).");
  } catch (error) {
    if (move === moving) trouble(error, "hardness");
  }
}

// Until the browser has shown what was written; one in the background never does, so not for long.
function painted() {
  return new Promise((go) => {
    requestAnimationFrame(() => setTimeout(go, 0));
    setTimeout(go, 50);
  });
}

function drawNumbers(found) {
  const { first, second } = found;
  remember(first.cone);
  drawCards(found);
  byId("export").value = first.cone;
  byId("command").value = start.command === null ? "" : `${start.command} ${first.option}`;
  drawWords(first.words);
  drawCone(first.rays, second?.rays ?? null, start);
  show("drop", second !== null);
  show("counting", found.estimated);
  show("moved", !found.estimated);
}

function drawLists() {
  drawTable(answer.table, selected, choose);
  drawMoved(answer.moved);
  drawDifference(answer, choose);
  show("angles", angles !== null && state.mode === "degrees");
  if (angles !== null && state.mode === "degrees") drawMoves(angles, state.degrees, choose);
}

function drawPictures() {
  const { first, second } = answer;
  show("figure-second", second !== null);
  byId("plots").classList.toggle("two", second !== null);
  let lines = null;
  for (const [side, one] of [["first", first], ["second", second]]) {
    if (one === null) continue;
    say(`caption-${side}`, `${one.cone}: ${whole(one.pareto)} Pareto`);
    if (parallel) lines = { ...drawParallel(side, start, one.points, selected, choose), ...lines };
    else drawFront(side, start, one.points, axes, selected, choose);
  }
  if (angles !== null && state.mode === "degrees") drawAngles(angles, state.degrees);
  const quiet = lines?.quiet ?? start.drawn.index.length;
  const front = lines?.front ?? first.points.index.length;
  const notes = [];
  if (quiet + start.unknown < start.designs) notes.push(`${whole(quiet)} of ${whole(start.designs)} designs are drawn in grey, an even sample`);
  if (front < first.pareto) notes.push(`${whole(front)} of ${whole(first.pareto)} Pareto designs are drawn`);
  if (start.unknown) notes.push(`${whole(start.unknown)} designs have no evaluation yet`);
  say("drawn", notes.length ? `${notes.join("; ")}.`.replace(/^./, (letter) => letter.toUpperCase()) : "");
}

async function choose(index, redraw = true) {
  try {
    selected = await ask("design", question({ index }));
  } catch (error) {
    trouble(error, "refusal");
    return;
  }
  drawSelected(start, selected, angles);
  if (!redraw || !answer) return;
  drawTable(answer.table, selected, choose);
  drawPictures();
}

async function load() {
  start = await ask("start");
  say("title", start.title);
  document.title = `${start.title} – conewise explorer`;
  if (start.live) say("pareto-label", "Pareto by the averages so far");
  drawStanding(start.standing);
  angles = null;
  if (start.objectives.length === 2 && start.unknown < start.designs) angles = await ask("angles");
}

// A study goes on: look, and draw again when its averages have moved.
async function watch() {
  try {
    if (!ready()) await begin();
    const now = await ask("standing");
    drawStanding(now.standing);
    if (now.version !== start.version) {
      await load();
      await update();
    }
    show("problem", false);
    say("problem", "");
  } catch (error) {
    trouble(error, "problem");
  }
  setTimeout(watch, BETWEEN_LOOKS);
}

// Which picture: two objectives against each other, or all of them side by side.
function setUpPicture() {
  const dim = start.objectives.length;
  show("axes", dim > 2);
  parallel = dim > 3;
  axes = dim > 1 ? [0, 1] : [0, null];
  const view = byId("view");
  view.value = parallel ? "parallel" : "plane";
  show("plane-axes", !parallel);
  view.addEventListener("change", () => {
    parallel = view.value === "parallel";
    show("plane-axes", !parallel);
    if (answer) drawPictures();
  });
  for (const [side, id] of [[0, "axis-x"], [1, "axis-y"]]) {
    const options = start.objectives.map((name, place) => {
      const option = element("option", name);
      option.value = place;
      option.selected = place === axes[side];
      return option;
    });
    byId(id).replaceChildren(...options);
    byId(id).addEventListener("change", () => { axes[side] = Number(byId(id).value); if (answer) drawPictures(); });
  }
  document.addEventListener("themechange", () => { if (answer) drawPictures(); });
}

function setUpCopying(buttonId, fieldId) {
  byId(buttonId).addEventListener("click", async () => {
    byId(fieldId).select();
    try {
      await navigator.clipboard.writeText(byId(fieldId).value);
      say("copied", "Copied.");
    } catch {
      say("copied", "Selected: press Ctrl+C to copy.");
    }
  });
}

async function begin() {
  await load();
  setUp(start, update);
  setUpPicture();
  setUpTable(start, turn);
  show("command-block", start.command !== null);
  for (const id of ["sigma", "epsilon", "delta"]) {
    byId(id).value = start[id] ?? "";
    byId(id).addEventListener("input", update);
  }
  if (start.sigma === null) {
    byId("sigma").disabled = true;
    say("noise", `The study's own noise: ${start.noise}.`);
    show("noise", true);
  }
  setUpCopying("copy", "export");
  setUpCopying("copy-command", "command");
  byId("second").addEventListener("input", update);
  byId("keep").addEventListener("click", () => { byId("second").value = byId("export").value; update(); });
  byId("drop").addEventListener("click", () => { byId("second").value = ""; update(); byId("second").focus(); });
  await update();
  rested = answer?.first.cone ?? null;
  document.body.dataset.ready = "yes";
}

try {
  await begin();
} catch (error) {
  trouble(error, "problem");
}
if (!ready() || start.live) setTimeout(watch, BETWEEN_LOOKS);
