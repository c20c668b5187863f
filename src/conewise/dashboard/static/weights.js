// Three objectives: all weightings are a triangle, and the preference is a part of it. Where it is the part of least
// shares, its sides are dragged; any other part is shown, and dragging replaces it.

import { FONT, colours, fittedApart } from "./canvas.js";
import { byId, say, short } from "./dom.js";

const MARGIN = { side: 24, top: 26, bottom: 28 };
const REACH = { mouse: 14, touch: 24 };
const MOST = 99;  // % for all least shares together: some weighting must be left

let start = null;
let use = null;
let views = null;
let corners = [];  // of the triangle, in pixels, by objective
let drag = null;
let current = 0;  // the objective that the arrow keys move

export function setUpWeights(given, onChange) {
  [start, use] = [given, onChange];
  const canvas = byId("triangle");
  canvas.setAttribute("aria-label", `Weights of ${start.objectives.join(", ")}: the left and right arrow keys choose one, up and down change its least share`);
  canvas.addEventListener("pointerdown", (event) => {
    drag = hit(at(event), event.pointerType === "mouse" ? REACH.mouse : REACH.touch);
    if (drag) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => { if (drag) move(at(event)); });
  for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, () => { drag = null; });
  canvas.addEventListener("touchstart", (event) => { if (hit(at(event.touches[0]), REACH.touch)) event.preventDefault(); }, { passive: false });
  canvas.addEventListener("keydown", key);
  new ResizeObserver(draw).observe(canvas);
  document.addEventListener("themechange", draw);
}

export function drawWeights(found) {
  views = found;
  const known = views.weights ? "" : "Your preference counts some gains only together with others, which no weights of this triangle say; dragging replaces it.";
  say("note-weights", views.weights && !views.shares ? "Your preference is another part of the triangle than least shares can say; dragging replaces it by them." : known);
  draw();
}

// The least shares from which a drag starts: those of the preference, or the narrowest that leave room for all of it.
function shares() {
  if (views.shares) return views.shares;
  return start.objectives.map((_, d) => (views.weights ? 100 * Math.min(...views.weights.map((row) => row[d])) : 0));
}

const place = (weights) => [0, 1].map((axis) => weights.reduce((sum, weight, d) => sum + weight * corners[d][axis], 0));

function at(event) {
  const box = byId("triangle").getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

// The weights, in %, at a place; they add up to 100 wherever that is.
function weightsAt([x, y]) {
  const [[ax, ay], [bx, by], [cx, cy]] = corners;
  const whole = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  const second = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / whole;
  const third = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / whole;
  return [1 - second - third, second, third].map((weight) => 100 * weight);
}

// The corners of the part that least shares leave, and the middles of its sides, by objective.
function part(least) {
  const rest = 100 - least.reduce((sum, share) => sum + share, 0);
  const tips = least.map((_, d) => place(least.map((share, e) => (share + (d === e ? rest : 0)) / 100)));
  const handles = least.map((_, d) => { const [a, b] = tips.filter((_tip, e) => e !== d); return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]; });
  return { tips, handles };
}

function hit(spot, reach) {
  if (!views || !corners.length) return null;
  const least = shares();
  const side = part(least).handles.findIndex(([x, y]) => Math.hypot(x - spot[0], y - spot[1]) <= reach);
  if (side >= 0) return { side };
  const weights = weightsAt(spot);
  return weights.every((weight, d) => weight >= least[d]) ? { from: weights, least } : null;
}

// A side goes where the pointer is; the whole part goes along with it, as far as the triangle goes.
function move(spot) {
  const weights = weightsAt(spot);
  if (drag.side !== undefined) { setShare(drag.side, weights[drag.side]); return; }
  const moved = drag.least.map((share, d) => share + weights[d] - drag.from[d]);
  if (moved.every((share) => share >= -0.5)) setShares(moved.map((share) => Math.max(0, Math.round(share))));
}

// Shown at once; the server's answer says the same a moment later.
function setShares(next) {
  const rest = 100 - next.reduce((sum, share) => sum + share, 0);
  views = { ...views, shares: next, weights: next.map((_, d) => next.map((share, e) => (share + (d === e ? rest : 0)) / 100)) };
  draw();
  use({ shares: next });
}

function setShare(objective, share) {
  const next = shares().map((least) => Math.round(least));
  const others = next.reduce((sum, least, d) => sum + (d === objective ? 0 : least), 0);
  next[objective] = Math.max(0, Math.min(Math.round(share), MOST - others));
  setShares(next);
}

function key(event) {
  const turn = { ArrowRight: 1, ArrowLeft: 2 }[event.key];
  const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
  if ((!turn && !step) || !views) return;
  event.preventDefault();
  if (turn) current = (current + turn) % 3;
  else setShare(current, Math.round(shares()[current]) + step);
  say("weights-said", `${start.objectives[current]}: at least ${short(Math.round(shares()[current]))} %.`);
  draw();
}

function draw() {
  const canvas = byId("triangle");
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (!width || !height || !views) return;
  const sharp = Math.min(2, window.devicePixelRatio || 1);
  [canvas.width, canvas.height] = [Math.round(width * sharp), Math.round(height * sharp)];
  const pen = canvas.getContext("2d");
  const paint = colours();
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  corners = [[width / 2, MARGIN.top], [MARGIN.side, height - MARGIN.bottom], [width - MARGIN.side, height - MARGIN.bottom]];
  const shape = (points) => { pen.beginPath(); for (const point of points) pen.lineTo(...point); pen.closePath(); };
  pen.strokeStyle = paint.axis;
  shape(corners);
  pen.stroke();
  const tips = views.weights ? views.weights.map(place) : [];
  if (tips.length) {
    shape(tips);
    pen.fillStyle = paint.beaten;
    pen.fill();
    pen.strokeStyle = paint.blue;
    pen.lineWidth = 2;
    pen.stroke();
  }
  const focused = document.activeElement === canvas;
  part(shares()).handles.forEach(([x, y], d) => {
    pen.beginPath();
    pen.arc(x, y, 6, 0, 2 * Math.PI);
    pen.fillStyle = focused && d === current ? paint.orange : paint.paper;
    pen.fill();
    pen.strokeStyle = paint.orange;
    pen.lineWidth = 1.5;
    pen.stroke();
  });
  pen.font = `600 12px ${FONT}`;
  pen.fillStyle = paint.ink;
  pen.textBaseline = "middle";
  const names = fittedApart(pen, start.objectives, width / 2 - 10);
  pen.textAlign = "center";
  pen.fillText(names[0], width / 2, 12);
  pen.textAlign = "left";
  pen.fillText(names[1], 2, height - 12);
  pen.textAlign = "right";
  pen.fillText(names[2], width - 2, height - 12);
}
