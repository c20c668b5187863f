// What every saved page has, with no server: its designs, the list, the selected one, levels. Who remains is found by one of
// two modules after this one, for the plane or for more objectives.

import { byId, chooser, element, say, show, spread, traded, whole } from "./dom.js";
import { drawLevels, levels, levelsNoted, missedWords, missesOf, missing, restoreLevels, setUpLevels } from "./levels.js";
import { wordsBack } from "./returning.js";
import { drawSteps } from "./steps.js";
import { byAverages, drawLegend, drawRemain, nobodyWords, nowWords, standingWords, statusOf, studyWords, withError } from "./verdicts.js";

const PAUSE = 60;  // milliseconds without a move, before the list follows
const LISTED = 400;
const RIVALS = 10;

export const data = JSON.parse(byId("data").textContent);
export const everyone = data.names.map((_, k) => k);
data.values = data.values.map(column);
export const turned = data.objectives.map((name) => data.minimised.includes(name));

const own = data.study;  // what a study says under the preference and the levels as they were saved
let page = null;  // { stays(k), rivals(k), ways(k), look(chosen, status), isAsSaved() } of the module that finds who remains
let chosen = null;
let pausing = 0;

// Numbers as they are, or the bytes of doubles where that is shorter: the first byte of every number, then the second.
function column(given) {
  if (Array.isArray(given)) return given;
  const bytes = Uint8Array.from(atob(given), (letter) => letter.charCodeAt(0));
  const count = bytes.length / 8;
  const view = new DataView(Uint8Array.from(bytes, (_, at) => bytes[(at % 8) * count + Math.floor(at / 8)]).buffer);
  return everyone.map((k) => view.getFloat64(8 * k, true));
}

const valuesOf = (design) => data.values.map((values) => values[design]);

export function setUpPage(given, changed) {
  page = given;
  say("title", data.title);
  say("standing", [data.about, data.standing && `The study at that time: ${standingWords(data.standing)}`, data.unknown && `Without values and left out: ${whole(data.unknown)}.`].filter(Boolean).join(" "));
  show("said-block", data.said.length > 0);
  byId("said").replaceChildren(...data.said.map((words) => element("li", words)));
  show("legend-short", data.shortlist.length > 0);
  say("designs", whole(everyone.length + (own ? data.unknown : 0)));
  drawSteps(data);
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  setUpLevels(data, changed);
  restoreLevels(data.levels);
  byId("as-saved").addEventListener("click", () => { restoreLevels(data.levels); page.restore(); changed(); });
}

export const missed = () => missing(data.values);
export const levelsDrawn = () => data.objectives.map((_, place) => levels.get(place) ?? null);

// A control has moved, and who remains is known.
export function drawPage(count) {
  drawLevels();
  data.study = page.isAsSaved() && JSON.stringify(levelsNoted()) === JSON.stringify(data.levels) ? own : null;
  drawLegend(data, levels.size > 0);
  drawRemain(data, whole(count));
  look();
  clearTimeout(pausing);
  pausing = setTimeout(drawNames, PAUSE);
}

function drawNames() {
  const there = everyone.filter((k) => (data.study ? ["kept", "undecided"].includes(statusOf(data, k)) : page.stays(k)));
  const items = spread(there, LISTED).map((k) => { const made = element("li"); made.append(chooser(data.names[k], k, choose)); return made; });
  if (there.length > items.length) items.push(element("li", `${whole(items.length)} of ${whole(there.length)} are listed.`, "none"));
  if (!there.length) items.push(element("li", data.study ? "none" : nobodyWords(data, everyone.length), "none"));
  byId("names").replaceChildren(...items);
  if (chosen !== null) drawChosen();
}

export function choose(k) {
  chosen = k;
  drawChosen();
  look();
}

const status = (k) => statusOf(data, k) ?? `${page.stays(k) ? "remains" : missesOf(valuesOf(k)).length ? "misses a level" : "beaten"}${byAverages(data)}`;

const look = () => page.look(chosen, status);

function drawChosen() {
  const misses = missesOf(valuesOf(chosen));
  const now = nowWords(data, { stays: page.stays(chosen), missed: missedWords(data, { values: valuesOf(chosen), misses }), beaten: "beaten" });
  const study = data.known?.[chosen];
  const list = element("dl");
  const add = (term, words) => list.append(element("dt", term), element("dd", words));
  data.objectives.forEach((name, place) => add(name, withError(data.values[place][chosen], study, place)));
  if (!data.study) add("Now", now);
  if (study) for (const row of studyWords(study)) add(...row);
  const parts = [element("p", data.names[chosen], "chosen-name"), list];
  const rivals = page.stays(chosen) || misses.length ? [] : page.rivals(chosen);
  if (rivals.length) {
    const by = element("ul", null, "rivals");
    by.append(...rivals.slice(0, RIVALS).map((k) => {
      const item = element("li");
      item.append(chooser(data.names[k], k, choose), element("span", `: ${traded(data.objectives, valuesOf(chosen), valuesOf(k))}`));
      return item;
    }));
    parts.push(element("h3", data.study ? "Ahead on average, the clearest first" : "Better, the clearest first"), by, ...wordsBack(page.ways(chosen)));
  }
  byId("selected").replaceChildren(...parts);
}

// Everything stands.
export function ready() {
  drawNames();
  document.body.dataset.ready = "yes";
}
