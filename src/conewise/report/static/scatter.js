// Two objectives against each other: all designs, those that remain, and the cone as a wedge at one of them.

import { Drawing, FONT, fitted, ticks } from "./canvas.js";
import { short } from "./dom.js";
import { unit } from "./geometry.js";

const EDGE = 0.05;  // of the range, around the outermost points
const MARGIN = { left: 62, right: 14, top: 12, bottom: 50 };
const CELL = 16;  // pixels: designs are sought by the cell in which they lie
const REACH = { mouse: 18, touch: 32 };
const HANDLE = { mouse: 11, touch: 22 };
const ARM = 0.3;  // of the picture's shorter side: how far the handles are from their design

const smaller = "smaller is better";
const larger = "larger is better";

export class Scatter extends Drawing {
  // events: select(index), point(index or null), turn(edge, ray), turned(), zoom(view or null)
  constructor(place, label, events) {
    super(place, label);
    this.events = events;
    this.points = null;
    this.look = {
      edges: null, beaten: null, front: null, selected: null, shortlist: [], marks: "circle", colour: "blue",
      groups: null, rivals: [], region: null, named: [],  // a report's: marks by status, who is compared, confidence, names
    };
    this.pointed = null;  // place among the points
    this.zoom = null;
    this.drag = null;
    this.#listen();
  }

  isReady() { return this.points !== null; }

  // points: { index, names, x, y } in the user's own numbers; y is null for one objective, and `quiet` may say who is a grey square.
  setData({ points, ranges, names, turned, units = [1, 1] }) {
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
    Object.assign(this.look, look);
    this.request();
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
    this.box = { x: MARGIN.left, y: MARGIN.top, w: Math.max(10, this.width - MARGIN.left - MARGIN.right),
      h: Math.max(10, this.height - MARGIN.top - MARGIN.bottom) };
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
    const paint = this.paints;
    pen.font = `12px ${FONT}`;
    pen.textBaseline = "middle";
    pen.lineWidth = 1;
    for (const value of ticks(...this.view[0], Math.max(2, w / 110))) {
      const at = Math.round(this.across(value)) + 0.5;
      pen.strokeStyle = paint.grid;
      pen.beginPath(); pen.moveTo(at, y); pen.lineTo(at, y + h); pen.stroke();
      pen.fillStyle = paint.soft;
      pen.textAlign = "center";
      pen.fillText(short(value), at, y + h + 14);
    }
    if (this.points.y) {
      for (const value of ticks(...this.view[1], Math.max(2, h / 70))) {
        const at = Math.round(this.up(value)) + 0.5;
        pen.strokeStyle = paint.grid;
        pen.beginPath(); pen.moveTo(x, at); pen.lineTo(x + w, at); pen.stroke();
        pen.fillStyle = paint.soft;
        pen.textAlign = "right";
        pen.fillText(short(value), x - 8, at);
      }
    }
    this.#titles(pen);
    pen.save();
    pen.beginPath(); pen.rect(x, y, w, h); pen.clip();
    pen.fillStyle = paint.quiet;
    const taken = new Uint8Array(Math.ceil(this.width) * Math.ceil(this.height));  // what lies on one pixel is one mark
    const size = this.px.length > 20000 ? 2 : this.px.length > 3000 ? 3 : 5;
    for (let k = 0; k < this.px.length; k += 1) {
      if (!this.isInside(k) || this.points.quiet?.[k] === 0) continue;
      const cell = Math.floor(this.py[k]) * Math.ceil(this.width) + Math.floor(this.px[k]);
      if (taken[cell]) continue;
      taken[cell] = 1;
      pen.fillRect(this.px[k] - size / 2, this.py[k] - size / 2, size, size);
    }
    pen.restore();
  }

  // Which way is better stands at every axis, as an arrow and in words.
  #titles(pen) {
    const { x, y, w, h } = this.box;
    const title = (name, sign, room, [back, forth]) => {
      pen.font = `12px ${FONT}`;
      const words = `, ${sign < 0 ? smaller : larger}`;
      const text = `${fitted(pen, name, Math.max(30, room - pen.measureText(words).width - 30))}${words}`;
      return sign < 0 ? `${back} ${text}` : `${text} ${forth}`;
    };
    pen.fillStyle = this.paints.ink;
    pen.textAlign = "center";
    this.titles = [title(this.names[0], this.signs[0], w, ["←", "→"])];
    pen.fillText(this.titles[0], x + w / 2, this.height - 14);
    if (!this.points.y) return;
    this.titles.push(title(this.names[1], this.signs[1], h, ["←", "→"]));  // read upwards, so that → points up
    pen.save();
    pen.translate(14, y + h / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(this.titles[1], 0, 0);
    pen.restore();
  }

  drawMoving(pen) {
    const { x, y, w, h } = this.box;
    const { look, paints: paint } = this;
    pen.save();
    pen.beginPath(); pen.rect(x, y, w, h); pen.clip();
    const apex = this.apex();
    if (look.edges && apex !== null && this.points.y) this.#wedge(pen, apex);
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
    const chosen = look.selected === null ? null : this.placeOf(look.selected);
    for (const [k, colour] of [[chosen, paint.ink], [this.pointed, paint.ink]]) if (k !== null && this.isInside(k)) this.#ring(pen, k, colour);
    this.#names(pen, chosen);
    if (chosen !== null && this.isInside(chosen)) this.write(pen, this.points.names[chosen], this.px[chosen] + 12, this.py[chosen] + 13, paint.ink);
    if (this.drag?.kind === "box" && this.drag.moved) {
      const [[ax, ay], [bx, by]] = [this.drag.from, this.drag.to];
      pen.strokeStyle = paint.ink;
      pen.setLineDash([4, 3]);
      pen.strokeRect(Math.min(ax, bx), Math.min(ay, by), Math.abs(ax - bx), Math.abs(ay - by));
      pen.setLineDash([]);
    }
  }

  // Names of the shortlist and of a few others, as far as they do not lie on each other.
  #names(pen, chosen) {
    const { shortlist, named } = this.look;
    const taken = chosen === null ? [] : [[this.px[chosen] + 12, this.py[chosen] + 13]];
    for (const index of [...shortlist, ...named.filter((other) => !shortlist.includes(other))]) {
      const k = this.placeOf(index);
      if (k === null || k === chosen || !this.isInside(k)) continue;
      const places = [-9, 11].map((down) => [this.px[k] + 10, this.py[k] + down]);
      const at = places.find(([x, y]) => !taken.some(([a, b]) => Math.abs(x - a) < 70 && Math.abs(y - b) < 13));
      if (!at) continue;
      taken.push(at);
      const short = shortlist.includes(index);
      this.write(pen, this.points.names[k], ...at, short ? this.paints.green : this.paints.ink, { weight: short ? "600" : "500" });
    }
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
    const mark = (x, y) => {
      const cell = (Math.round(y) << 13) | Math.round(x);
      if (done.has(cell)) return;
      done.add(cell);
      this.stamp(pen, sprite, x, y);
    };
    for (const { places, shape, size, colour } of look.groups ?? []) {
      sprite = this.sprite(shape, size, paint[colour], paint.paper);
      done = new Set();
      for (const k of places) if (this.isInside(k)) mark(this.px[k], this.py[k]);
    }
    if (look.groups) return;
    if (look.front) {  // from the server, perhaps of designs that are not among the points
      look.front.x.forEach((value, k) => mark(this.across(value), look.front.y ? this.up(look.front.y[k]) : this.py[0] ?? 0));
      return;
    }
    const { beaten } = look;
    if (!beaten) return;
    for (let k = 0; k < beaten.length; k += 1) if (!beaten[k] && this.isInside(k)) mark(this.px[k], this.py[k]);
  }

  // The design at which the wedge stands: the pointed one, the selected one, or one in the middle.
  apex() {
    if (this.drag?.kind === "turn") return this.drag.apex;
    if (this.pointed !== null) return this.pointed;
    const chosen = this.look.selected === null ? null : this.placeOf(this.look.selected);
    return chosen ?? this.home;
  }

  // A ray of the cone as a direction in the picture.
  #direction([a, b]) {
    return unit([this.steps[0] * a * this.scale[0], -this.steps[1] * b * this.scale[1]]);
  }

  #wedge(pen, apex) {
    const [x, y] = [this.px[apex], this.py[apex]];
    const far = 8 * (this.width + this.height);
    const { edges } = this.look;
    const rays = [edges[0], unit([edges[0][0] + edges[1][0], edges[0][1] + edges[1][1]]), edges[1]].map((ray) => this.#direction(ray));
    const fill = (side, colour) => {
      pen.beginPath();
      pen.moveTo(x, y);
      rays.forEach(([dx, dy], k) => pen.lineTo(x + side * dx * far * (k === 1 ? 2 : 1), y + side * dy * far * (k === 1 ? 2 : 1)));
      pen.closePath();
      pen.fillStyle = colour;
      pen.fill();
    };
    fill(1, this.paints.wedge);
    fill(-1, this.paints.beaten);
    if (!this.events.turn || (this.pointed !== null && this.drag?.kind !== "turn")) return;
    this.handles = [rays[0], rays[2]].map((ray) => this.#handle(x, y, ray));
    pen.strokeStyle = this.paints.orange;
    pen.lineWidth = 1.5;
    for (const [hx, hy] of this.handles) {
      pen.beginPath(); pen.moveTo(x, y); pen.lineTo(hx, hy); pen.stroke();
      pen.beginPath(); pen.arc(hx, hy, 6, 0, 2 * Math.PI);
      pen.fillStyle = this.paints.paper;
      pen.fill();
      pen.stroke();
    }
  }

  // As far out as the picture allows.
  #handle(x, y, [dx, dy]) {
    const { box } = this;
    const room = (at, d, low, high) => (d > 0 ? (high - at) / d : d < 0 ? (low - at) / d : Infinity);
    const arm = Math.min(ARM * Math.min(box.w, box.h), room(x, dx, box.x + 8, box.x + box.w - 8), room(y, dy, box.y + 8, box.y + box.h - 8));
    return [x + dx * Math.max(18, arm), y + dy * Math.max(18, arm)];
  }

  #cells() {
    if (this.cells) return this.cells;
    const across = Math.ceil(this.width / CELL) + 1;
    const down = Math.ceil(this.height / CELL) + 1;
    const head = new Int32Array(across * down).fill(-1);
    const next = new Int32Array(this.px.length);
    for (let k = this.px.length - 1; k >= 0; k -= 1) {
      if (!this.isInside(k)) continue;
      const cell = Math.floor(this.py[k] / CELL) * across + Math.floor(this.px[k] / CELL);
      next[k] = head[cell];
      head[cell] = k;
    }
    this.cells = { across, down, head, next };
    return this.cells;
  }

  // The nearest design; of those at one place, one that remains.
  #nearest(x, y, reach) {
    const { across, down, head, next } = this.#cells();
    const rings = Number.isFinite(reach) ? Math.ceil(reach / CELL) : Math.max(across, down);
    const [cx, cy] = [Math.floor(x / CELL), Math.floor(y / CELL)];
    let found = null;
    let least = reach;
    for (let ring = 0; ring <= rings && (ring - 1) * CELL <= least; ring += 1) {
      for (let row = cy - ring; row <= cy + ring; row += 1) {
        if (row < 0 || row >= down) continue;
        const step = row === cy - ring || row === cy + ring ? 1 : 2 * ring || 1;
        for (let column = cx - ring; column <= cx + ring; column += step) {
          if (column < 0 || column >= across) continue;
          for (let k = head[row * across + column]; k >= 0; k = next[k]) {
            const away = Math.hypot(this.px[k] - x, this.py[k] - y);
            const better = away < least || (away === least && found !== null && this.#stays(k) && !this.#stays(found));
            if (better || (away === least && found === null)) [found, least] = [k, away];
          }
        }
      }
    }
    return found;
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
      this.showTip(...(at ?? [this.px[k], this.py[k]]), names[k], [...values, this.look.status?.(this.points.index[k]) ?? ""]);
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
      if (event.touches.length === 1 && this.#handleAt(this.at(touch), HANDLE.touch) >= 0) event.preventDefault();
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
    const edge = this.#handleAt(at, touch ? HANDLE.touch : HANDLE.mouse);
    if (edge >= 0) {
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
    if (this.drag) {
      this.drag.to = at;
      this.drag.moved ||= Math.hypot(at[0] - this.drag.from[0], at[1] - this.drag.from[1]) > 6;
      if (this.drag.moved) { this.#point(null); this.request(); }
      return;
    }
    if (event.pointerType !== "mouse") return;
    const near = this.#handleAt(at, HANDLE.mouse) >= 0 && this.pointed === null;
    this.canvas.classList.toggle("grab", near);
    this.#point(near ? null : this.#nearest(...at, REACH.mouse), at);
  }

  #up() {
    const { drag } = this;
    this.drag = null;
    if (!drag?.moved) return;
    this.quiet = true;  // the click that follows is the end of the drag
    setTimeout(() => { this.quiet = false; }, 0);
    if (drag.kind === "turn") { this.events.turned?.(); this.request(); return; }
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
