// The slider, with the number of designs that remain at every angle behind it and a tick where one leaves.

import { colours } from "./canvas.js";
import { byId, say } from "./dom.js";
import { degreesOf } from "./geometry.js";
import { held, settle } from "./preference.js";

const THUMB = 8;  // pixels by which the slider's way is shorter than the slider, at each end
const TICKS = 4;  // pixels high
const [FIRST, LAST] = [1, 179];

let curve = null;  // the last one that was drawn

export function setUpTrade(changed) {
  const slider = byId("degrees");
  const typed = byId("degrees-exact");
  const use = (degrees) => { held.base = { degrees }; settle(); changed(); };
  slider.addEventListener("input", () => use(Number(slider.value)));
  typed.addEventListener("input", () => {
    if (typed.value !== "" && typed.valueAsNumber > 0 && typed.valueAsNumber < 180) use(typed.valueAsNumber);
  });
  new ResizeObserver(() => { if (curve) drawCurve(curve); }).observe(byId("curve"));
  document.addEventListener("themechange", () => { if (curve) drawCurve(curve); });
}

// Where the slider stands; what lies unevenly about the diagonal has no place on it.
export function drawTrade(remain = null) {
  const degrees = held.edges ? degreesOf(held.edges) : held.views?.degrees ?? null;
  const [slider, typed] = [byId("degrees"), byId("degrees-exact")];
  if (degrees !== null) {
    if (document.activeElement !== slider || Math.abs(Number(slider.value) - degrees) > 0.5) slider.value = degrees;
    if (document.activeElement !== typed) typed.value = Number(degrees.toFixed(4));
  }
  if (remain !== null) slider.setAttribute("aria-valuetext", `${slider.value} degrees, ${remain} remain`);
  byId("trade").classList.toggle("uneven", degrees === null);
  say("note-degrees", degrees !== null ? "" : held.said.length
    ? "With what you said the cone is not even about the diagonal; the slider moves the rest of it."
    : "Your two exchanges differ, so that no angle says them; moving the slider replaces both.");
}

export function drawCurve(angles) {
  curve = angles;
  const canvas = byId("curve");
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (!width || !height) return;
  const sharp = Math.min(2, window.devicePixelRatio || 1);
  [canvas.width, canvas.height] = [Math.round(width * sharp), Math.round(height * sharp)];
  const pen = canvas.getContext("2d");
  const paint = colours();
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  const across = (degrees) => THUMB + ((degrees - FIRST) / (LAST - FIRST)) * (width - 2 * THUMB);
  const most = Math.max(1, ...angles.curve.map(([, count]) => count));
  const top = height - TICKS - 2;
  pen.fillStyle = paint.beaten;
  for (const [degrees, count] of angles.curve) {
    const high = Math.max(1, (count / most) * (top - 14));
    pen.fillRect(across(degrees - 0.5), top - high, across(degrees + 0.5) - across(degrees - 0.5) + 0.4, high);
  }
  pen.fillStyle = paint.blue;
  let last = -1;
  for (const degrees of angles.degrees) {
    if (degrees === null) continue;
    const at = Math.round(across(degrees));
    if (at === last) continue;
    last = at;
    pen.fillRect(at, height - TICKS, 1, TICKS);
  }
  pen.fillStyle = paint.soft;
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "top";
  const [left, right] = [angles.curve[0], angles.curve.at(-1)];
  if (left) pen.fillText(`${left[1]} remain`, across(left[0]) - THUMB + 2, 0);
  if (right) { pen.textAlign = "right"; pen.fillText(String(right[1]), width - 2, 0); }
}
