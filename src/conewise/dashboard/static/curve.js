// How many designs remain at every position of a slider, drawn behind it, with a tick where one leaves.

import { colours } from "./canvas.js";
import { byId } from "./dom.js";

const THUMB = 8;  // pixels by which the slider's way is shorter than the slider, at each end
const TICKS = 4;  // pixels high

const drawn = new Map();  // the last curve of every slider, by the name of its canvas

// `curve` lists [position, how many remain], `ends` where each one leaves or null, `range` the ends of the slider and `step`
// how far its bars are apart.
export function drawCounts(id, found) {
  const canvas = byId(id);
  if (!drawn.has(id)) {
    new ResizeObserver(() => paint(id)).observe(canvas);
    document.addEventListener("themechange", () => paint(id));
  }
  drawn.set(id, found);
  paint(id);
}

function paint(id) {
  const canvas = byId(id);
  const { curve, ends, range: [first, last], step } = drawn.get(id);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (!width || !height) return;
  const sharp = Math.min(2, window.devicePixelRatio || 1);
  [canvas.width, canvas.height] = [Math.round(width * sharp), Math.round(height * sharp)];
  const pen = canvas.getContext("2d");
  const paints = colours();
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  const across = (position) => THUMB + ((position - first) / (last - first)) * (width - 2 * THUMB);
  const most = Math.max(1, ...curve.map(([, count]) => count));
  const top = height - TICKS - 2;
  pen.fillStyle = paints.beaten;
  for (const [position, count] of curve) {
    const high = Math.max(1, (count / most) * (top - 14));
    pen.fillRect(across(position - step / 2), top - high, across(position + step / 2) - across(position - step / 2) + 0.4, high);
  }
  pen.fillStyle = paints.blue;
  let before = -1;
  for (const end of ends) {
    if (end === null || end > last) continue;
    const at = Math.round(across(end));
    if (at === before) continue;
    before = at;
    pen.fillRect(at, height - TICKS, 1, TICKS);
  }
  pen.fillStyle = paints.soft;
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "top";
  const [left, right] = [curve[0], curve.at(-1)];
  if (left) pen.fillText(`${left[1]} ${left[1] === 1 ? "remains" : "remain"}`, across(left[0]) - THUMB + 2, 0);
  if (right) { pen.textAlign = "right"; pen.fillText(String(right[1]), width - 2, 0); }
}
