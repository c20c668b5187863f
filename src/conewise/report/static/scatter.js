// Two objectives against each other: all designs, those that remain, and the cone as a wedge at one of them.

import { drawAxes, roomBeside } from "./axes.js";
import { Drawing } from "./canvas.js";
import { Cells } from "./cells.js";
import { short } from "./dom.js";
import { unit } from "./geometry.js";
import { barAt, drawBars, drawShades } from "./thresholds.js";
import { drawWedge } from "./wedge.js";

const FADED = 0.15;  // of a design that is not looked at
const EDGE = 0.05;  // of the range, around the outermost points
const MARGIN = { left: 62, right: 14, top: 12, bottom: 50 };
const REACH = { mouse: 18, touch: 32 };
const HANDLE = { mouse: 11, touch: 22 };

// Marks by status, for points of these statuses; beaten designs are grey squares.
const MARKS = [["misses a level", "cross", 6, "quiet"], ["covered", "ring", 7, "soft"], ["undecided", "diamond", 9, "orange"], ["kept", "circle", 10, "blue"]];

export function lookOf(statuses) {
  const crowd = statuses.length > 500 ? 0.75 : 1;
  return {
    groups: MARKS.map(([status, shape, size, colour]) => ({
      shape, size: shape === "diamond" || shape === "circle" ? size * crowd : size, colour,
      places: statuses.flatMap((one, k) => (one === status ? [k] : [])),
    })),
    beaten: Uint8Array.from(statuses, (status) => (status === "kept" || status === "undecided" ? 0 : 1)),
    quiet: Uint8Array.from(statuses, (status) => (status === "beaten" ? 1 : 0)),
  };
}

export class Scatter extends Drawing {
  // events: select(index), point(index or null), turn(edge, ray), turned(), level(axis, value or null), zoom(view or null)
  constructor(place, label, events) {
    super(place, label);
    this.events = events;
    this.points = null;
    this.look = {
      edges: null, beaten: null, front: null, selected: null, shortlist: [], marks: "circle", colour: "blue",
      faded: null,  // 1 for every design that is not looked at now
      levels: null,  // of the two axes: the most or least that is acceptable, or null; null where levels are not asked about
      groups: null, quiet: null,  // marks by status, and who is a grey square then
      rivals: [], region: null, named: [],  // a report's: who is compared, confidence, names
    };
    this.pointed = null;  // place among the points
    this.zoom = null;
    this.drag = null;
    this.bars = [];
    this.#listen();
  }

  isReady() { return this.points !== null; }

  // points: { index, names, x, y } in the user's own numbers; y is null for one objective, and `quiet` may say who is a grey square.
  setData({ points, ranges, names, turned, units = [1, 1] }) {
    if (points.index.length !== this.points?.index.length) [this.look.groups, this.look.quiet] = [null, null];  // they are about others
    this.points = points;
    this.names = names;
    this.signs = turned.map((is) => (is ? -1 : 1));
    this.steps = this.signs.map((sign, d) => sign * units[d]);  // one step of improvement, in the user's own units
    this.whole = ranges.map(([low, high]) => {
      const margin = EDGE * (high - low) || Math.abs(low) || 1;
      return [low - margin, high + margin];
    });
    if (this.whole.length === 1) this.whole.push([-1, 1]);
    this.places = null;
    this.pointed = null;
    this.hideTip();
    this.refresh();
  }

  // What changes with the cone; drawn in the next frame.
  setLook(look) {
    for (const key of ["faded", "quiet"]) if (look[key] !== undefined && look[key] !== this.look[key]) this.stale = true;  // also those in grey
    Object.assign(this.look, look);
    this.request();
  }

  // From outside: a design that is pointed at in a list, or none.
  pointAt(index) {
    if (this.box) this.#point(index === null ? null : this.placeOf(index));
  }

  setZoom(zoom) {
    if (JSON.stringify(zoom) === JSON.stringify(this.zoom)) return;
    this.zoom = zoom;
    this.refresh();
  }

  get view() { return this.zoom ?? this.whole; }

  placeOf(index) {
    if (!this.places) this.places = new Map(Array.from(this.points.index, (id, k) => [id, k]));
    return this.places.get(index) ?? null;
  }

  prepare() {
    const { x, y } = this.points;
    const h = Math.max(10, this.height - MARGIN.top - MARGIN.bottom);
    const beside = Math.max(MARGIN.left, y ? roomBeside(this.pen, this.view, h) : 0);
    this.box = { x: beside, y: MARGIN.top, w: Math.max(10, this.width - beside - MARGIN.right), h };
    const [[left, right], [low, high]] = this.view;
    this.scale = [this.box.w / (right - left), this.box.h / (high - low)];
    this.px = Float32Array.from(x, (value) => this.across(value));
    this.py = y ? Float32Array.from(y, (value) => this.up(value)) : new Float32Array(x.length).fill(this.box.y + this.box.h / 2);
    this.cells = null;
    this.home = this.#nearest(this.box.x + this.box.w / 2, this.box.y + this.box.h / 2, Infinity);
  }

  across(value) { return this.box.x + (value - this.view[0][0]) * this.scale[0]; }

  up(value) { return this.box.y + this.box.h - (value - this.view[1][0]) * this.scale[1]; }

  isInside(k) {
    const { x, y, w, h } = this.box;
    return this.px[k] >= x - 0.5 && this.px[k] <= x + w + 0.5 && this.py[k] >= y - 0.5 && this.py[k] <= y + h + 0.5;
  }

  drawStill(pen) {
    const { x, y, w, h } = this.box;
    this.titles = drawAxes(pen, this);
    pen.save();
    pen.beginPath(); pen.rect(x, y, w, h); pen.clip();
    pen.fillStyle = this.paints.quiet;
    const taken = new Uint8Array(Math.ceil(this.width) * Math.ceil(this.height));  // what lies on one pixel is one mark
    const size = this.px.length > 20000 ? 2 : this.px.length > 3000 ? 3 : 5;
    for (let k = 0; k < this.px.length; k += 1) {
      if (!this.isInside(k) || (this.look.quiet ?? this.points.quiet)?.[k] === 0) continue;
      const cell = Math.floor(this.py[k]) * Math.ceil(this.width) + Math.floor(this.px[k]);
      if (taken[cell]) continue;
      taken[cell] = 1;
      pen.globalAlpha = this.look.faded?.[k] ? FADED : 1;
      pen.fillRect(this.px[k] - size / 2, this.py[k] - size / 2, size, size);
    }
    pen.restore();
  }

  drawMoving(pen) {
    const { x, y, w, h } = this.box;
    const { look, paints: paint } = this;
    pen.save();
    pen.beginPath(); pen.rect(x, y, w, h); pen.clip();
    const apex = this.apex();
    if (look.edges && apex !== null && this.points.y) {
      this.handles = drawWedge(pen, this, apex, this.events.turn && (this.pointed === null || this.drag?.kind === "turn")) ?? this.handles;
    }
    const bars = look.levels ? look.levels.map((level, axis) => this.#bar(axis, level)) : [];
    this.bars = this.events.level ? bars : [];
    drawShades(pen, paint, bars);  // below the marks: an average just beyond a level decides nothing
    if (look.region) this.#region(pen, look.region);
    this.#front(pen);
    for (const index of look.rivals) {
      const k = this.placeOf(index);
      if (k === null || !this.isInside(k)) continue;
      pen.strokeStyle = paint.soft;
      pen.lineWidth = 1.5;
      pen.strokeRect(this.px[k] - 8, this.py[k] - 8, 16, 16);
    }
    for (const index of look.shortlist) {
      const k = this.placeOf(index);
      if (k === null || !this.isInside(k)) continue;
      this.stamp(pen, this.sprite("circle", 12, paint.green, paint.paper), this.px[k], this.py[k]);
    }
    pen.restore();
    drawBars(pen, paint, bars, this.bars.length > 0);
    const chosen = look.selected === null ? null : this.placeOf(look.selected);
    for (const [k, colour] of [[chosen, paint.ink], [this.pointed, paint.ink]]) if (k !== null && this.isInside(k)) this.#ring(pen, k, colour);
    const written = this.#names(pen, chosen);
    if (chosen !== null && this.isInside(chosen)) this.write(pen, written.get(look.selected), this.px[chosen] + 12, this.py[chosen] + 13, paint.ink);
    if (this.drag?.kind === "box" && this.drag.moved) {
      const [[ax, ay], [bx, by]] = [this.drag.from, this.drag.to];
      pen.strokeStyle = paint.ink;
      pen.setLineDash([4, 3]);
      pen.strokeRect(Math.min(ax, bx), Math.min(ay, by), Math.abs(ax - bx), Math.abs(ay - by));
      pen.setLineDash([]);
    }
  }

  // The line of a level; without one its tab waits at the worse end of the axis.
  #bar(axis, level) {
    const { x, y, w, h } = this.box;
    const isSet = level !== null;
    const [low, high] = axis === 0 ? [x, x + w] : [y, y + h];
    const worseIsHigh = (axis === 0) === this.signs[axis] < 0;  // in pixels, which grow to the right and downwards
    const worst = worseIsHigh ? high - 12 : low + 12;  // out of the corner, in which another one may wait
    const at = isSet ? Math.min(Math.max(axis === 0 ? this.across(level) : this.up(level), low), high) : worst;
    const beyond = worseIsHigh ? [at, high - at] : [low, at - low];
    return axis === 0
      ? { axis, isSet, from: [at, y], to: [at, y + h], shade: [beyond[0], y, beyond[1], h], tab: [at, y + h], side: [0, -1] }
      : { axis, isSet, from: [x, at], to: [x + w, at], shade: [x, beyond[0], w, beyond[1]], tab: [x, at], side: [1, 0] };
  }

  // Dragged to the worse end of its axis, or past it, a level is none.
  #drag(axis, at) {
    const { x, y, w, h } = this.box;
    const value = axis === 0 ? this.view[0][0] + (at[0] - x) / this.scale[0] : this.view[1][0] + (y + h - at[1]) / this.scale[1];
    const [low, high] = this.view[axis];
    const edge = 3 / this.scale[axis];
    const isNone = this.signs[axis] < 0 ? value >= high - edge : value <= low + edge;
    this.events.level(axis, isNone ? null : Number(Math.min(Math.max(value, low), high).toPrecision(4)));
  }

  // Names of the shortlist and of a few others, as far as they do not lie on each other.
  #names(pen, chosen) {
    const { shortlist, named } = this.look;
    const wanted = [...(chosen === null ? [] : [this.look.selected]), ...shortlist, ...named].map((index) => [index, this.placeOf(index)]);
    const written = this.written(pen, new Map(wanted.filter(([, k]) => k !== null && this.isInside(k)).map(([index, k]) => [index, this.points.names[k]])));
    const taken = chosen === null ? [] : [[this.px[chosen] + 12, this.py[chosen] + 13]];
    for (const index of [...shortlist, ...named.filter((other) => !shortlist.includes(other))]) {
      const k = this.placeOf(index);
      if (k === null || k === chosen || !this.isInside(k)) continue;
      const places = [-9, 11].map((down) => [this.px[k] + 10, this.py[k] + down]);
      const at = places.find(([x, y]) => !taken.some(([a, b]) => Math.abs(x - a) < 70 && Math.abs(y - b) < 13));
      if (!at) continue;
      taken.push(at);
      const short = shortlist.includes(index);
      this.write(pen, written.get(index), ...at, short ? this.paints.green : this.paints.ink, { weight: short ? "600" : "500" });
    }
    return written;
  }

  // Corners in the user's own numbers: where a design may truly lie.
  #region(pen, corners) {
    pen.beginPath();
    for (const [x, y] of corners) pen.lineTo(this.across(x), this.up(y));
    pen.closePath();
    pen.strokeStyle = this.paints.ink;
    pen.lineWidth = 1.2;
    pen.setLineDash([5, 3]);
    pen.stroke();
    pen.setLineDash([]);
  }

  #ring(pen, k, colour) {
    pen.beginPath();
    pen.arc(this.px[k], this.py[k], 8, 0, 2 * Math.PI);
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.stroke();
  }

  #front(pen) {
    const { look, paints: paint } = this;
    let sprite = this.sprite(look.marks, 9, paint[look.colour], paint.paper);
    let done = new Set();
    const mark = (x, y, faded = 0) => {
      const cell = (Math.round(y) << 13) | Math.round(x);
      if (done.has(cell)) return;
      done.add(cell);
      pen.globalAlpha = faded ? FADED : 1;
      this.stamp(pen, sprite, x, y);
      pen.globalAlpha = 1;
    };
    for (const { places, shape, size, colour } of look.groups ?? []) {
      sprite = this.sprite(shape, size, paint[colour], paint.paper);
      done = new Set();
      for (const k of places) if (this.isInside(k)) mark(this.px[k], this.py[k], look.faded?.[k]);
    }
    if (look.groups) return;
    if (look.front) {  // from the server, perhaps of designs that are not among the points
      look.front.x.forEach((value, k) => mark(this.across(value), look.front.y ? this.up(look.front.y[k]) : this.py[0] ?? 0, look.front.faded?.[k]));
      return;
    }
    const { beaten } = look;
    if (!beaten) return;
    for (let k = 0; k < beaten.length; k += 1) if (!beaten[k] && this.isInside(k)) mark(this.px[k], this.py[k], look.faded?.[k]);
  }

  // The design at which the wedge stands: the pointed one, the selected one, or one in the middle.
  apex() {
    if (this.drag?.kind === "turn") return this.drag.apex;
    if (this.pointed !== null) return this.pointed;
    const chosen = this.look.selected === null ? null : this.placeOf(this.look.selected);
    return chosen ?? this.home;
  }

  // The nearest design; of those at one place, one that remains.
  #nearest(x, y, reach) {
    this.cells ??= new Cells(this.px, this.py, this.width, this.height, (k) => this.isInside(k));
    return this.cells.nearest(x, y, reach, (k) => this.#stays(k));
  }

  #stays(k) {
    const { beaten, front } = this.look;
    if (beaten) return !beaten[k];
    return front?.index ? front.index.includes(this.points.index[k]) : false;
  }

  #handleAt([x, y], reach) {
    if (!this.handles || !this.look.edges || !this.events.turn) return -1;
    return this.handles.findIndex(([hx, hy]) => Math.hypot(hx - x, hy - y) <= reach);
  }

  #point(k, at = null) {
    if (k === this.pointed && !at) return;
    const changed = k !== this.pointed;
    this.pointed = k;
    if (k === null) this.hideTip();
    else {
      const { names, x, y } = this.points;
      const values = [`${this.names[0]} ${short(x[k])}`, ...(y ? [`${this.names[1]} ${short(y[k])}`] : [])];
      this.showTip(...(at ?? [this.px[k], this.py[k]]), names[k], [...values, ...[this.look.status?.(this.points.index[k]) ?? ""].flat()]);
    }
    if (changed) { this.request(); this.events.point?.(k === null ? null : this.points.index[k]); }
  }

  #listen() {
    const { canvas } = this;
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerleave", () => { if (!this.drag) this.#point(null); });
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointerup", (event) => this.#up(event));
    canvas.addEventListener("pointercancel", () => { this.drag = null; this.request(); });
    canvas.addEventListener("touchstart", (event) => {
      const [touch] = event.touches;
      const held = event.touches.length === 1 && (this.#handleAt(this.at(touch), HANDLE.touch) >= 0 || barAt(this.bars, this.at(touch), true));
      if (held) event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("click", (event) => this.#click(event));
    canvas.addEventListener("dblclick", () => { if (this.zoom) this.events.zoom?.(null); });
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("blur", () => this.#point(null));
  }

  #down(event) {
    if (event.button !== 0 || !this.box) return;
    const at = this.at(event);
    this.pressed = at;  // a click is told in whole pixels, and two designs may be closer than that
    const touch = event.pointerType !== "mouse";
    const bar = this.events.level ? barAt(this.bars, at, touch) : null;
    const edge = this.#handleAt(at, touch ? HANDLE.touch : HANDLE.mouse);
    if (bar) {
      this.drag = { kind: "level", axis: bar.axis, moved: false };
      this.#point(null);
    } else if (edge >= 0) {
      const chosen = this.look.selected === null ? null : this.placeOf(this.look.selected);
      this.drag = { kind: "turn", edge, apex: chosen ?? this.home, moved: false };
      this.#point(null);
    } else if (!touch) this.drag = { kind: "box", from: at, to: at, moved: false };
    if (this.drag) hold(this.canvas, event.pointerId);
  }

  #move(event) {
    if (!this.box) return;
    const at = this.at(event);
    if (this.drag?.kind === "turn") {
      const [dx, dy] = [at[0] - this.px[this.drag.apex], at[1] - this.py[this.drag.apex]];
      if (Math.hypot(dx, dy) < 4) return;
      this.drag.moved = true;
      this.events.turn(this.drag.edge, unit([dx / this.scale[0] / this.steps[0], -dy / this.scale[1] / this.steps[1]]));
      return;
    }
    if (this.drag?.kind === "level") {
      this.drag.moved = true;
      this.#drag(this.drag.axis, at);
      return;
    }
    if (this.drag) {
      this.drag.to = at;
      this.drag.moved ||= Math.hypot(at[0] - this.drag.from[0], at[1] - this.drag.from[1]) > 6;
      if (this.drag.moved) { this.#point(null); this.request(); }
      return;
    }
    if (event.pointerType !== "mouse") return;
    const near = (this.#handleAt(at, HANDLE.mouse) >= 0 && this.pointed === null) || (this.events.level && barAt(this.bars, at, false) !== null);
    this.canvas.classList.toggle("grab", near);
    this.#point(near ? null : this.#nearest(...at, REACH.mouse), at);
  }

  #up() {
    const { drag } = this;
    this.drag = null;
    if (!drag?.moved) return;
    this.quiet = true;  // the click that follows is the end of the drag
    setTimeout(() => { this.quiet = false; }, 0);
    if (drag.kind !== "box") { this.events.turned?.(); this.request(); return; }
    const [[ax, ay], [bx, by]] = [drag.from, drag.to];
    const { box } = this;
    const clip = (value, low, high) => Math.min(Math.max(value, low), high);
    const xs = [ax, bx].map((value) => clip(value, box.x, box.x + box.w)).sort((a, b) => a - b);
    const ys = [ay, by].map((value) => clip(value, box.y, box.y + box.h)).sort((a, b) => b - a);
    this.request();
    if (xs[1] - xs[0] < 8 || (this.points.y && ys[0] - ys[1] < 8)) return;
    const back = (pixel, axis) => (axis === 0 ? this.view[0][0] + (pixel - box.x) / this.scale[0] : this.view[1][0] + (box.y + box.h - pixel) / this.scale[1]);
    this.events.zoom?.([xs.map((pixel) => back(pixel, 0)), this.points.y ? ys.map((pixel) => back(pixel, 1)) : this.view[1]]);
  }

  #click(event) {
    if (this.quiet || !this.box) return;
    const touch = event.pointerType === "touch";
    const found = this.#nearest(...(this.pressed ?? this.at(event)), touch ? REACH.touch : REACH.mouse);
    if (found !== null) this.events.select(this.points.index[found]);
  }

  // The arrow keys go from left to right through those that remain.
  #key(event) {
    if (!this.box) return;
    if (event.key === "Escape" && this.pointed !== null) { this.#point(null); return; }
    if (event.key === "Enter" && this.pointed !== null) { this.events.select(this.points.index[this.pointed]); return; }
    if (event.key === "0" && this.zoom) { this.events.zoom?.(null); return; }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const there = Array.from(this.px, (_, k) => k).filter((k) => this.#stays(k) && this.isInside(k)).sort((a, b) => this.px[a] - this.px[b] || a - b);
    if (!there.length) return;
    const from = this.pointed ?? (this.look.selected === null ? null : this.placeOf(this.look.selected));
    const here = there.indexOf(from);
    const aim = Number.isFinite(step) ? (here < 0 ? (step > 0 ? 0 : there.length - 1) : here + step) : step;
    const next = Math.min(Math.max(aim, 0), there.length - 1);
    this.#point(there[next]);
    const k = there[next];
    const { names, x, y } = this.points;
    this.said.textContent = `${names[k]}: ${this.names[0]} ${short(x[k])}${y ? `, ${this.names[1]} ${short(y[k])}` : ""}.`;
  }
}

// A pointer that has gone cannot be held.
function hold(canvas, pointer) {
  try { canvas.setPointerCapture(pointer); } catch { /* it went */ }
}
