// The slider, with the number of designs that remain at every angle behind it and a tick where one leaves.

import { drawCounts } from "./curve.js";
import { byId, say } from "./dom.js";
import { degreesOf } from "./geometry.js";
import { held, settle } from "./preference.js";

const [FIRST, LAST] = [1, 179];

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
  typed.addEventListener("input", () => {
    const { valueAsNumber: degrees, min, max } = typed;
    if (degrees >= min && degrees <= max) use(degrees);
    else say("refusal-degrees", `The opening angle is a number from ${min} to ${max} degrees.`);
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
