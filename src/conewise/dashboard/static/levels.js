// What is acceptable: of every objective the least, or the most, that a design may have. Fields here, lines in the picture.

import { byId, element, say, short } from "./dom.js";
import { setUpTyping } from "./numbers.js";

export const levels = new Map();  // by the number of the objective

let start = null;
let changed = null;
let written = "";  // the levels that the fields show

export const levelsAsked = () => (levels.size ? { levels: Object.fromEntries(levels) } : {});
export const levelsNoted = () => [...levels].sort(([a], [b]) => a - b);

const isSmall = (place) => start.minimised.includes(start.objectives[place]);

export function setUpLevels(given, onChange) {
  [start, changed] = [given, onChange];
  byId("levels").replaceChildren(...start.objectives.map((name, place) => {
    const label = element("label", `${name} ${isSmall(place) ? "at most" : "at least"}`);
    const field = element("input");
    Object.assign(field, { type: "text", inputMode: "decimal", id: `level-${place}`, autocomplete: "off" });
    setUpTyping(field, "refusal-levels", name, (level) => setLevel(place, level), () => { const before = levels.get(place) ?? null; return () => setLevel(place, before); });
    field.addEventListener("blur", () => { written = ""; drawLevels(); });
    label.append(field);
    return label;
  }));
}

export function setLevel(place, level) {
  if (level === null) levels.delete(place);
  else levels.set(place, level);
  changed();
}

// From an address: pairs of an objective and a number; what makes no sense is as if it were not there.
export function restoreLevels(found) {
  levels.clear();
  for (const pair of Array.isArray(found) ? found : []) {
    const [place, level] = Array.isArray(pair) ? pair : [];
    if (start.objectives[place] !== undefined && Number.isFinite(level)) levels.set(place, level);
  }
}

// The levels that a design misses, and by how much.
export const missesOf = (values) => [...levels].map(([objective, level]) => ({ objective, level, by: (isSmall(objective) ? 1 : -1) * (values[objective] - level) })).filter(({ by }) => by > 0);

export const misses = (values) => missesOf(values).length > 0;

// Of the designs of a plane, 1 for each that misses a level; null where there is none.
export function missing(columns) {
  if (!levels.size) return null;
  const found = new Uint8Array(columns[0].length);
  for (const [place, level] of levels) {
    const [column, isMost] = [columns[place], isSmall(place)];
    for (let k = 0; k < found.length; k += 1) if (isMost ? column[k] > level : column[k] < level) found[k] = 1;
  }
  return found;
}

export function drawLevels() {
  const now = JSON.stringify(levelsNoted());
  if (now === written) return;  // nothing has moved here
  written = now;
  start.objectives.forEach((_, place) => {
    const field = byId(`level-${place}`);
    if (document.activeElement !== field) field.value = levels.has(place) ? Number(levels.get(place).toPrecision(6)) : "";
  });
  const words = levelsNoted().map(([place, level]) => `${start.objectives[place]} ${isSmall(place) ? "at most" : "at least"} ${short(level)}`);
  say("level-words", words.length ? `Only ${words.join(" and ")} will do.` : "");
}

// "misses a level: price 12 is 2 above 10".
export const missedWords = (given, chosen) => chosen.misses.map(({ objective, level, by }) => {
  const name = given.objectives[objective];
  return `${name} ${short(chosen.values[objective])} is ${short(by)} ${given.minimised.includes(name) ? "above" : "below"} ${short(level)}`;
}).join("; ");
