// The slider, with the number of designs that remain at every angle behind it and a tick where one leaves.

import { drawCounts } from "./curve.js";
import { byId, say } from "./dom.js";
import { degreesOf } from "./geometry.js";
import { numberIn, setUpTyping } from "./numbers.js";
import { held, settle, undoing } from "./preference.js";

const [FIRST, LAST] = [1, 179];
const [LEAST, MOST, STEP] = [0.1, 179.9, 0.1];  // of an angle that is typed, and what an arrow key does to it

export function setUpTrade(changed) {
  const slider = byId("degrees");
  const typed = byId("degrees-exact");
  const use = (degrees) => {
    say("refusal-degrees", "");
    say("refusal", "");
    held.base = { degrees };
    settle();
    changed();
  };
  slider.addEventListener("input", () => use(Number(slider.value)));
  const read = (degrees) => {
    if (degrees >= LEAST && degrees <= MOST) use(degrees);
    else say("refusal-degrees", `The opening angle is a number from ${LEAST} to ${MOST} degrees.`);
  };
  setUpTyping(typed, "refusal-degrees", "The opening angle", (degrees) => read(degrees ?? NaN), () => { const undo = undoing(); return () => { undo(); changed(); }; });
  typed.addEventListener("keydown", (event) => {
    const step = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
    if (!step || Number.isNaN(numberIn(typed.value))) return;
    event.preventDefault();
    typed.value = Number(Math.min(Math.max(numberIn(typed.value) + step, LEAST), MOST).toFixed(4));
    read(Number(typed.value));
  });
}

// Where the slider stands; what lies unevenly about the diagonal has no place on it.
export function drawTrade(remain = null) {
  const degrees = held.edges ? degreesOf(held.edges) : held.views?.degrees ?? null;
  const [slider, typed] = [byId("degrees"), byId("degrees-exact")];
  if (degrees !== null) {
    if (document.activeElement !== slider || Math.abs(Number(slider.value) - degrees) > 0.5) slider.value = degrees;
    if (document.activeElement !== typed) {
      typed.value = Number(degrees.toFixed(4));
      say("refusal-degrees", "");
    }
  }
  if (remain !== null) slider.setAttribute("aria-valuetext", `${slider.value} degrees, ${remain} remain`);
  byId("trade").classList.toggle("uneven", degrees === null);
  say("note-degrees", degrees !== null ? "" : held.said.length
    ? "With what you said the cone is not even about the diagonal; the slider moves the rest of it."
    : "Your two exchanges differ, so that no angle says them; moving the slider replaces both.");
}

export function drawCurve({ curve, degrees }) { drawCounts("curve", { curve, ends: degrees, range: [FIRST, LAST], step: 1 }); }
