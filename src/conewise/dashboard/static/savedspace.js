// A saved page of three or more objectives: least shares of the weight, for three by the triangle, levels, and the preference
// as it was saved. The page itself finds who remains.

import { byId, element, say, short, show, whole } from "./dom.js";
import { drawLeast, drawLeaving, setUpLeast } from "./least.js";
import { setLevel } from "./levels.js";
import { choose, data, drawPage, everyone, levelsDrawn, missed, ready, setUpPage, turned } from "./offline.js";
import { Parallel } from "./parallel.js";
import { NEVER, changeWords } from "./returning.js";
import { Space, cornersOf, movedExchanges } from "./space.js";
import { statusOf } from "./verdicts.js";
import { drawWeights, setUpWeights } from "./weights.js";

const AT_ONCE = 50;  // milliseconds: a front that takes longer waits until the control rests
const RESTING = 150;
const MOST = 99;  // % for all least shares together: some weighting must be left
const COUNTED = 2000;  // designs that remain without any least share: more are not counted at every share
const NAMED = 2;  // exchanges of a change that are told

const dim = data.objectives.length;
const space = new Space(everyone.map((k) => data.values.map((column, d) => (column[k] * (turned[d] ? -1 : 1)) / data.units[d])));
const drawing = new Parallel(byId("plot-first"), "Designs and those that remain, every objective an axis", { select: choose, level: setLevel });
let rows = data.rows;
let shares = data.shares;  // in %; null where the preference is no least shares
let words = "";
let curving = 0;
let took = 0;  // milliseconds of the last front
let counting = 0;
let drawnLevels = null;  // the levels of the curve behind the slider

function restore() { use(data.rows, data.shares, data.shares ? shareWords(data.shares) : data.words.join(" ")); }

function use(nextRows, nextShares, nextWords) {
  [rows, shares, words] = [nextRows, nextShares, nextWords];
}

function shareWords(least) {
  if (!least.some((share) => share > 0)) return "No objective may get worse.";
  if (least.every((share) => share === least[0])) return `Every objective weighs at least ${short(least[0])} %.`;
  const said = least.map((share, d) => [share, data.objectives[d]]).filter(([share]) => share > 0);
  return `Of the weight at least ${said.map(([share, name]) => `${short(share)} % is ${name}`).join(", ")}.`;
}

const isAsSaved = () => rows === data.rows || (shares !== null && JSON.stringify(shares) === JSON.stringify(data.shares));

function useShares(next) {
  const rest = 100 - next.reduce((sum, share) => sum + share, 0);
  use(next.map((_, d) => next.map((share, e) => share + (d === e ? rest : 0))), next, shareWords(next));
  changed();
}

function changed() {
  say("sentence", words);
  drawLeast(shares);
  drawEach();
  clearTimeout(counting);
  if (took > AT_ONCE) counting = setTimeout(count, RESTING);
  else count();
}

function count() {
  const started = performance.now();
  space.missing = missed();
  const found = space.front(rows);
  took = performance.now() - started;
  drawLeast(shares, whole(found));
  drawPage(found);
  const now = JSON.stringify(levelsDrawn());
  if (now === drawnLevels) return;
  drawnLevels = now;
  clearTimeout(curving);
  curving = setTimeout(drawCurve, RESTING);
}

function drawCurve() {
  const ends = space.leaving(COUNTED);
  const curve = Array.from({ length: ends.length && Number(byId("share").max) + 1 }, (_, share) => [share, ends.filter((end) => end === null || end > share).length]);
  drawLeaving({ curve, shares: ends });
}

// -- each objective on its own ---------------------------------------------------------------------------------------

function setUpEach() {
  if (dim === 3) setUpWeights(data, (base) => useShares(base.shares));
  show("panel-weights", dim === 3);
  byId("each").replaceChildren(...(dim === 3 ? [] : data.objectives.map((name, place) => {
    const [row, label, output, slider] = [element("div", null, "share"), element("label", name), element("output"), element("input")];
    Object.assign(slider, { type: "range", min: 0, max: MOST, step: 1, value: 0, id: `share-${place}` });
    [label.htmlFor, output.htmlFor, output.id] = [slider.id, slider.id, `share-out-${place}`];
    slider.addEventListener("input", () => {
      const next = data.objectives.map((_, d) => Number(byId(`share-${d}`).value));
      const others = next.reduce((sum, share, d) => sum + (d === place ? 0 : share), 0);
      next[place] = Math.min(next[place], MOST - others);
      useShares(next);
    });
    row.append(label, output, slider);
    return row;
  })));
}

function drawEach() {
  if (dim === 3) {
    drawWeights({ shares, weights: rows.some((row) => row.some((weight) => weight < 0)) ? null : cornersOf(rows) });
    return;
  }
  say("note-each", shares ? "" : "Your preference cannot be said by least shares alone; moving one starts from these.");
  if (!shares) return;
  shares.forEach((share, place) => {
    byId(`share-${place}`).value = share;
    byId(`share-out-${place}`).textContent = `${Number(share.toFixed(2))} %`;
  });
}

// -- a design that is out ------------------------------------------------------------------------------------------------

function ways(k) {
  if (rows.some((row) => row.some((weight) => weight < 0))) return [];
  const change = space.change(k, rows);
  if (!change) return [{ words: NEVER }];
  const inUnits = ([loss, gain, ...amounts]) => [loss, gain, ...amounts.map((amount) => (amount * data.units[gain]) / data.units[loss])];
  const exchanges = movedExchanges(rows, change.rows, NAMED).map(inUnits);
  return [{ words: changeWords(data, { ...change, exchanges }), use: () => {
    use(change.rows, null, `Exchanges as they are needed for ${data.names[k]} to remain.`);
    changed();
  } }];
}

function look(chosen, status) {
  const points = (there) => ({ index: there, names: there.map((k) => data.names[k]), values: data.values.map((column) => there.map((k) => column[k])) });
  const having = (word) => points(everyone.filter((k) => statusOf(data, k) === word));
  drawing.setLook({
    front: data.study ? having("kept") : points(everyone.filter((k) => !space.beaten[k])), open: data.study ? having("undecided") : null,
    selected: chosen === null ? null : { values: data.values.map((column) => column[chosen]) }, shortlist: data.shortlist,
    levels: levelsDrawn(), status,
  });
}

setUpPage({ stays: (k) => !space.beaten[k], rivals: (k) => space.rivals(k, rows), ways, look, restore, isAsSaved }, changed);
drawing.setData({ points: { index: everyone, names: data.names, values: data.values }, ranges: data.ranges, names: data.objectives, turned });
document.querySelectorAll(".wedges").forEach((item) => { item.hidden = true; });
setUpEach();
show("least", true);
show("others", true);
setUpLeast(dim, useShares);
restore();
changed();
ready();
