// The explorer: one state, one question to the server whenever it changes, and everything drawn from the answer.

import { Refusal, ask, latest } from "./api.js";
import { preference, remember, setUp, state } from "./controls.js";
import { byId, element, large, say, show } from "./dom.js";
import { drawCards, drawDifference, drawMoves, drawSelected, drawStanding, drawTable, drawWords } from "./lists.js";
import { drawAngles, drawCone, drawFront } from "./pictures.js";

const BETWEEN_LOOKS = 1000;  // milliseconds
const RESTING = 300;  // milliseconds without a move, before what takes longer is asked

let start = null;
let answer = null;
let angles = null;
let selected = null;  // { index, name, values, ... }
let axes = [0, 1];
let resting = 0;

const ready = () => document.body.dataset.ready === "yes";

function assumptions() {
  const given = {};
  for (const id of ["sigma", "epsilon", "delta"]) {
    const field = byId(id);
    if (!field.disabled && Number.isFinite(field.valueAsNumber)) given[id] = field.valueAsNumber;
  }
  return given;
}

const question = (more = {}) => ({ first: preference(), ...assumptions(), ...more });

function trouble(error, place) {
  if (!(error instanceof Refusal)) throw error;
  say(place, error.message);
  if (place === "problem") show("problem", true);
}

const update = latest(async (overtaken) => {
  const second = byId("second").value.trim();
  const asked = question();
  try {
    answer = await ask("front", asked);
    say("refusal", "");
  } catch (error) {
    trouble(error, "refusal");
    return;
  }
  say("second-refusal", "");
  if (second) {
    try {
      answer = await ask("front", { ...asked, second: { text: second } });
    } catch (error) {
      trouble(error, "second-refusal");
    }
  }
  drawNumbers();
  await painted();
  if (overtaken()) return;  // numbers follow every move; pictures, which take longer, the last one
  drawPictures();
  clearTimeout(resting);
  resting = setTimeout(rest, RESTING);
});

async function rest() {
  if (selected) await choose(selected.index, false);
  try {
    const { rate } = await ask("hardness", question());
    say("hardness", `If these values were the true means, every correct rule would need on the order of ${large(rate)} evaluations `
      + "(sigma² H log(1/delta), the gap-dependent lower bound, up to a constant).");
  } catch (error) {
    trouble(error, "hardness");
  }
}

// Until the browser has shown what was written; one in the background never does, so not for long.
function painted() {
  return new Promise((go) => {
    requestAnimationFrame(() => setTimeout(go, 0));
    setTimeout(go, 50);
  });
}

function draw() {
  drawNumbers();
  drawPictures();
}

function drawNumbers() {
  const { first, second } = answer;
  remember(first.cone);
  drawCards(answer);
  byId("export").value = first.cone;
  byId("command").value = start.command === null ? "" : `${start.command} ${first.option}`;
  drawWords(first.words);
  drawCone(first.rays, second?.rays ?? null, start);
  show("drop", second !== null);
  drawTable(start, first, selected, choose);
  drawDifference(answer, choose);
  show("angles", angles !== null && state.mode === "degrees");
  if (angles !== null && state.mode === "degrees") drawMoves(angles, state.degrees, choose);
}

function drawPictures() {
  const { first, second } = answer;
  show("figure-second", second !== null);
  byId("plots").classList.toggle("two", second !== null);
  say("caption-first", `${first.cone}: ${first.pareto} Pareto`);
  drawFront("first", start, first.points, axes, selected, choose);
  if (second) {
    say("caption-second", `${second.cone}: ${second.pareto} Pareto`);
    drawFront("second", start, second.points, axes, selected, choose);
  }
  if (angles !== null && state.mode === "degrees") drawAngles(angles, state.degrees);
  const notes = [];
  if (start.drawn.index.length + start.unknown < start.designs) notes.push(`${start.drawn.index.length} of ${start.designs} designs are drawn in grey`);
  if (first.pareto > first.points.index.length) notes.push(`the first ${first.points.index.length} Pareto designs are drawn`);
  if (start.unknown) notes.push(`${start.unknown} designs have no evaluation yet`);
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
  if (redraw && answer) draw();
}

async function load() {
  start = await ask("start");
  say("title", start.title);
  document.title = `${start.title} – conewise explorer`;
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

function setUpAxes() {
  show("axes", start.objectives.length > 2);
  axes = start.objectives.length > 1 ? [0, 1] : [0, null];
  for (const [side, id] of [[0, "axis-x"], [1, "axis-y"]]) {
    const options = start.objectives.map((name, place) => {
      const option = element("option", name);
      option.value = place;
      option.selected = place === axes[side];
      return option;
    });
    byId(id).replaceChildren(...options);
    byId(id).addEventListener("change", () => { axes[side] = Number(byId(id).value); draw(); });
  }
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
  setUpAxes();
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
  byId("keep").addEventListener("click", () => { byId("second").value = answer?.first.cone ?? ""; update(); });
  byId("drop").addEventListener("click", () => { byId("second").value = ""; update(); byId("second").focus(); });
  await update();
  document.body.dataset.ready = "yes";
}

try {
  await begin();
} catch (error) {
  trouble(error, "problem");
}
if (!ready() || start.live) setTimeout(watch, BETWEEN_LOOKS);
