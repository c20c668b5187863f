// Numbers as people type them: in full and with a point, or refused beside their field. Whether "2,000" is 2 or 2000 nobody
// can know, and a browser's own field for numbers reads it as its language has it.

import { say } from "./dom.js";

const PLAIN = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const GROUPED = /^[+-]?\d{1,3}(?:[,\s'’_]\d{3})+(?:\.\d+)?$/;
const DECIMAL = /^[+-]?\d+,\d+$/;

// NaN for anything that is not one plain number.
export function numberIn(text) {
  const found = PLAIN.test(text.trim()) ? Number(text) : NaN;
  return Number.isFinite(found) ? found : NaN;
}

// Why a text is refused, and how to write what was meant: thousands without marks between them, decimals behind a point.
export function refusalOf(given) {
  const text = given.trim().slice(0, 40);
  const meant = [GROUPED.test(text) ? text.replace(/[,\s'’_]/g, "") : null, DECIMAL.test(text) ? text.replace(",", ".") : null].filter(Boolean);
  if (!meant.length) return `"${text}" is no number: write one such as 2000 or 0.5.`;
  return `"${text}" ${meant.length > 1 ? "can be read in two ways" : "is no plain number"}: write ${meant.join(" or ")}.`;
}

// What is typed is used as it is read, null where the field is empty. What is refused stands at `place`, and then all is as it
// was when the field was entered, as `undoing` remembers it: "2,000" begins with a 2.
export function setUpTyping(field, place, name, use, undoing = () => () => {}) {
  let undo = undoing();
  field.addEventListener("focus", () => { undo = undoing(); });
  field.addEventListener("input", () => {
    const value = field.value.trim() === "" ? null : numberIn(field.value);
    say(place, Number.isNaN(value) ? `${name}: ${refusalOf(field.value)}` : "");
    if (Number.isNaN(value)) undo();
    else use(value);
  });
}
