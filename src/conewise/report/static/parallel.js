// Every objective an axis, every design a line, and better is up on all of them. A stretch of an axis can be brushed.

import { Drawing, FONT, fitted, fittedApart } from "./canvas.js";
import { short, spread } from "./dom.js";
import { Grips } from "./grips.js";
import { barAt, drawBars, drawShades } from "./thresholds.js";

const LINES = { quiet: 300, front: 400 };  // more cannot be followed
const MARGIN = { side: 46, top: 24, bottom: 52 };
const REACH = 12;
const BRUSH = 8;  // pixels beside an axis that belong to it

// The nearest number of so many digits that is not above the value, or not below it.
function outside(value, isLow, digits) {
  const near = Number(value.toPrecision(digits));
  if (isLow ? near <= value : near >= value) return near;
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
  return Number((near + (isLow ? -step : step)).toPrecision(digits));
}

export class Parallel extends Drawing {
  // events: select(index), point(index or null), brush(ranges by objective), level(objective, value or null)
  constructor(place, label, events) {
    super(place, label);
    this.events = events;
    this.data = null;
    this.pointed = null;
    this.brushes = new Map();
    this.shown = [];
    this.undecided = [];
    this.bars = [];
    this.look = { front: null, open: null, selected: null, shortlist: [], kept: [], colour: "blue", levels: null, status: null, matches: null };
    this.grips = new Grips(this);
    this.#listen();
  }

  isReady() { return this.data !== null; }

  // points: { index, names, values by objective, looks: [colour, dashes] of each where they differ }, all in grey.
  setData({ points, ranges, names, turned }) {
    this.data = { points, ranges, names, turned };
    this.quiet = spread(points.index.map((_, k) => k), LINES.quiet);
    this.refresh();
  }

  // front, open (what is undecided) and selected are points: { index, names, values by objective }.
  setLook(look) {
    if (look.matches || this.look.matches) this.stale = true;  // also those in grey
    Object.assign(this.look, look);
    const places = (points) => (points ? spread(points.index.map((_, k) => k), LINES.front) : []);
    this.shown = places(this.look.front);
    this.undecided = places(this.look.open);
    this.request();
  }

  get counts() { return { quiet: this.quiet.length, front: this.shown.length }; }

  prepare() {
    const { names } = this.data;
    const w = this.width - 2 * MARGIN.side;
    this.axes = names.map((_, place) => MARGIN.side + (names.length > 1 ? (w * place) / (names.length - 1) : w / 2));
    [this.top, this.bottom] = [MARGIN.top, this.height - MARGIN.bottom];
    this.grips.lay();
  }

  level(place, value) {
    const [low, high] = this.data.ranges[place] ?? [0, 0];
    const share = high > low ? (value - low) / (high - low) : 0.5;
    return this.bottom - (this.data.turned[place] ? 1 - share : share) * (this.bottom - this.top);
  }

  #value(place, y) {
    return this.valueAt(place, Math.min(1, Math.max(0, (this.bottom - y) / (this.bottom - this.top))));
  }

  // At a share of the way up an axis; its ends are those of the range, to the last bit.
  valueAt(place, up) {
    const [low, high] = this.data.ranges[place];
    const share = this.data.turned[place] ? 1 - up : up;
    return share === 1 ? high : low + share * (high - low);
  }

  #trace(pen, values, k) {
    for (let place = 0; place < this.axes.length; place += 1) pen.lineTo(this.axes[place], this.level(place, values[place][k]));
  }

  // Whether a line is looked at: its name, and where it crosses the axes that are brushed.
  #isBrushed({ names, values }, k) {
    for (const [place, [low, high]] of this.brushes) if (!(values[place][k] >= low && values[place][k] <= high)) return false;
    return this.look.matches?.(names[k]) ?? true;
  }

  // A stretch of an axis in the user's own numbers, or null.
  brush(place, range) {
    if (range) this.brushes.set(place, range.sort((a, b) => a - b));
    else this.brushes.delete(place);
    this.refresh();
    this.events.brush?.(this.brushes);
  }

  setBrushes(brushes) {
    this.brushes = brushes;
    this.refresh();
  }

  // From outside: a design that is pointed at in a list, or none.
  pointAt(index) {
    if (!this.axes) return;
    const found = this.#find(index);
    this.#point(found, found && [this.axes[0], this.level(0, found.points.values[0][found.k])]);
  }

  // A design by its number, wherever it is known from.
  #find(index) {
    const { front, open, kept } = this.look;
    const found = [front, open, this.data.points].filter(Boolean).map((points) => ({ points, k: points.index.indexOf(index) })).find(({ k }) => k >= 0);
    const design = found ? null : kept.find((one) => one.index === index && one.values);
    return found ?? (design ? { points: { index: [index], names: [design.name], values: design.values.map((value) => [value]) }, k: 0 } : null);
  }

  drawStill(pen) {
    const { points, ranges, names, turned } = this.data;
    const paint = this.paints;
    pen.lineWidth = 1;
    for (const k of this.quiet) {
      const [colour, dashes] = points.looks?.[k] ?? ["quiet", []];
      pen.strokeStyle = paint[colour];
      pen.setLineDash(dashes);
      pen.globalAlpha = this.#isBrushed(points, k) ? 0.4 : 0.06;
      pen.beginPath();
      this.#trace(pen, points.values, k);
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    const room = names.length > 1 ? this.axes[1] - this.axes[0] - 8 : this.width - 20;
    this.labels = [];
    this.spans = [];  // of the names below the axes
    this.ends = [];
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const titles = this.#titles(pen, names, room);
    names.forEach((name, place) => {
      const x = this.axes[place];
      pen.strokeStyle = paint.axis;
      pen.lineWidth = 1.5;
      pen.beginPath(); pen.moveTo(x, this.top); pen.lineTo(x, this.bottom); pen.stroke();
      pen.font = `600 11px ${FONT}`;
      pen.fillStyle = paint.ink;
      this.#title(pen, titles[place], place, room);
      pen.font = `11px ${FONT}`;
      pen.fillStyle = paint.soft;
      const way = turned[place] ? "small is up" : "large is up";
      const isNarrow = pen.measureText("small is up").width > room;
      pen.fillText(isNarrow ? (turned[place] ? "min" : "max") : way, x, this.bottom + 42);
      const [low, high] = ranges[place] ?? [0, 0];
      const [down, up] = turned[place] ? [high, low] : [low, high];
      const written = (value, isLow) => this.#written(pen, value, isLow, room);
      pen.fillText(written(down, !turned[place]), x, this.bottom + 12);
      pen.fillText(written(up, turned[place]), x, this.top - 12);
      this.labels.push(`${name}, ${way}`);
      this.ends.push(down, up);
    });
  }

  // The end of an axis with as many digits as there is room for, and never inside the range.
  #written(pen, value, isLow, room) {
    const ways = [5, 4, 3, 2].flatMap((digits) => {
      const near = outside(value, isLow, digits);
      return [short(near), near.toExponential().replace("+", "")].filter((text) => Number(text) === near);
    });
    return ways.find((text) => pen.measureText(text).width <= room) ?? ways.at(-1);
  }

  // The names as far as there is room for them; different ones are told apart.
  #titles(pen, names, room) {
    pen.font = `600 11px ${FONT}`;
    const outer = this.axes.length > 1 ? room / 2 + MARGIN.side - 4 : room;
    const shown = names.map((name, place) => fitted(pen, name, place === 0 || place === names.length - 1 ? outer : room));
    const isApart = new Set(shown).size === new Set(names).size;
    return isApart ? shown : fittedApart(pen, names, Math.min(outer, room));
  }

  // Below its axis; that of an outer axis is moved inwards as far as the picture needs.
  #title(pen, shown, place, room) {
    const isOuter = place === 0 || place === this.axes.length - 1;
    const half = pen.measureText(shown).width / 2;
    const out = isOuter && this.axes.length > 1 ? Math.max(0, half - room / 2) : 0;  // away from its neighbour
    const x = Math.min(Math.max(this.axes[place] + (place === 0 ? -out : out), half + 2), this.width - half - 2);
    pen.fillText(shown, x, this.bottom + 28);
    this.spans.push([x - half, x + half]);
  }

  drawMoving(pen) {
    const { look, paints: paint } = this;
    const stroke = (points, k, colour, width, alpha) => {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.globalAlpha = alpha;
      pen.beginPath();
      this.#trace(pen, points.values, k);
      pen.stroke();
    };
    const many = this.shown.length > 100;
    pen.setLineDash([6, 4]);
    for (const k of this.undecided) stroke(look.open, k, paint.orange, 1.4, this.#isBrushed(look.open, k) ? 0.8 : 0.07);
    pen.setLineDash([]);
    for (const k of this.shown) stroke(look.front, k, paint[look.colour], many ? 1 : 1.6, this.#isBrushed(look.front, k) ? (many ? 0.6 : 0.9) : 0.07);
    const listed = look.shortlist.map((index) => this.#find(index)).filter(Boolean);  // also who is beaten
    for (const { points, k } of listed) stroke(points, k, paint.green, 2.5, 1);
    if (look.selected?.values) stroke({ values: look.selected.values.map((value) => [value]) }, 0, paint.ink, 3.5, 1);
    if (this.pointed) stroke(this.pointed.points, this.pointed.k, paint.ink, 2, 1);
    pen.globalAlpha = 1;
    this.#names(pen, listed);
    const bars = look.levels ? look.levels.map((level, place) => this.#bar(place, level)) : [];
    this.bars = this.events.level ? bars : [];
    drawShades(pen, paint, bars);
    drawBars(pen, paint, bars, this.bars.length > 0);
    for (const [place, range] of this.brushes) {
      const [a, b] = range.map((value) => this.level(place, value)).sort((one, two) => one - two);
      pen.fillStyle = paint.wedge;
      pen.strokeStyle = paint.orange;
      pen.lineWidth = 1;
      pen.fillRect(this.axes[place] - BRUSH, a, 2 * BRUSH, b - a);
      pen.strokeRect(this.axes[place] - BRUSH, a, 2 * BRUSH, b - a);
    }
  }

  // Names of the shortlist at the first axis, as far as they do not lie on each other.
  #names(pen, listed) {
    const taken = [];
    const written = this.written(pen, new Map(listed.map(({ points, k }) => [points.index[k], points.names[k]])));
    for (const { points, k } of listed) {
      const y = this.level(0, points.values[0][k]);
      if (taken.some((other) => Math.abs(other - y) < 13)) continue;
      taken.push(y);
      this.write(pen, written.get(points.index[k]), this.axes[0] + 8, y, this.paints.green);
    }
  }

  // The mark of a level beside its axis; without one its tab waits at the foot, where worse is.
  #bar(axis, level) {
    const isSet = level !== null;
    const x = this.axes[axis];
    const at = isSet ? Math.min(Math.max(this.level(axis, level), this.top), this.bottom) : this.bottom;
    return { axis, isSet, from: [x - 14, at], to: [x + 14, at], shade: [x - 5, at, 10, this.bottom - at], tab: [x - 11, at], side: [1, 0] };
  }

  // The line nearest to the pointer; one that remains before one that does not.
  #nearest([x, y]) {
    const place = Math.min(this.axes.length - 2, Math.max(0, this.axes.findLastIndex((axis) => axis <= x)));
    const share = this.axes.length > 1 ? Math.min(1, Math.max(0, (x - this.axes[place]) / (this.axes[place + 1] - this.axes[place]))) : 0;
    const height = (values, k) => {
      const here = this.level(Math.max(0, place), values[Math.max(0, place)][k]);
      return this.axes.length > 1 ? here + share * (this.level(place + 1, values[place + 1][k]) - here) : here;
    };
    let [found, least] = [null, REACH];
    for (const [points, list, handicap] of [[this.look.front, this.shown, 0], [this.look.open, this.undecided, 2], [this.data.points, this.quiet, 4]]) {
      for (const k of list) {
        const away = Math.abs(height(points.values, k) - y) + handicap;
        if (away < least && this.#isBrushed(points, k)) [found, least] = [{ points, k }, away];
      }
    }
    return found;
  }

  #axisAt([x, y]) {
    if (y < this.top - BRUSH || y > this.bottom + BRUSH) return -1;
    return this.axes.findIndex((axis) => Math.abs(axis - x) <= BRUSH + 2);
  }

  #listen() {
    const { canvas } = this;
    let brushing = null;
    let dragged = null;  // the level's objective
    canvas.addEventListener("pointerdown", (event) => {
      if (!this.axes || event.button !== 0) return;
      const at = this.at(event);
      dragged = this.events.level ? barAt(this.bars, at, event.pointerType !== "mouse")?.axis ?? null : null;
      if (dragged !== null) {
        try { canvas.setPointerCapture(event.pointerId); } catch { /* it went */ }
        return;
      }
      if (event.pointerType !== "mouse") return;
      const place = this.#axisAt(at);
      if (place < 0) return;
      brushing = { place, from: at[1], moved: false };
      try { canvas.setPointerCapture(event.pointerId); } catch { /* it went */ }
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.axes) return;
      const at = this.at(event);
      if (dragged !== null) {
        const isNone = at[1] >= this.bottom - 3;
        this.events.level(dragged, isNone ? null : Number(this.#value(dragged, at[1]).toPrecision(4)));
        this.#point(null);
        return;
      }
      if (event.pointerType !== "mouse") return;
      if (brushing) {
        brushing.moved ||= Math.abs(at[1] - brushing.from) > 4;
        if (!brushing.moved) return;
        this.brushes.set(brushing.place, [brushing.from, at[1]].map((y) => this.#value(brushing.place, y)).sort((a, b) => a - b));
        this.#point(null);
        this.refresh();
        return;
      }
      canvas.classList.toggle("grab", this.events.level !== undefined && barAt(this.bars, at, false) !== null);
      canvas.classList.toggle("brush", this.#axisAt(at) >= 0);
      this.#point(this.#nearest(at), at);
    });
    canvas.addEventListener("pointerup", () => {
      if (dragged !== null) {
        dragged = null;
        this.#hush();
        return;
      }
      if (!brushing) return;
      if (!brushing.moved) this.brushes.delete(brushing.place);
      this.#hush();
      brushing = null;
      this.refresh();
      this.events.brush?.(this.brushes);
    });
    canvas.addEventListener("touchstart", (event) => {
      if (this.events.level && event.touches.length === 1 && barAt(this.bars, this.at(event.touches[0]), true)) event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("pointerleave", () => this.#point(null));
    canvas.addEventListener("blur", () => this.#point(null));
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("click", (event) => {
      const found = this.skip || !this.axes ? null : this.#nearest(this.at(event));
      if (found) this.events.select(found.points.index[found.k]);
    });
  }

  // The click that follows is the end of a drag.
  #hush() {
    this.skip = true;
    setTimeout(() => { this.skip = false; }, 0);
  }

  // The arrow keys go through those that remain, and then through what is undecided.
  #key(event) {
    if (event.key === "Escape") { this.#point(null); return; }
    if (event.key === "Enter" && this.pointed) { this.events.select(this.pointed.points.index[this.pointed.k]); return; }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || !this.axes) return;
    event.preventDefault();
    const lines = [[this.look.front, this.shown], [this.look.open, this.undecided]]
      .flatMap(([points, list]) => list.filter((k) => this.#isBrushed(points, k)).map((k) => ({ points, k })));
    if (!lines.length) return;
    const here = lines.findIndex(({ points, k }) => points === this.pointed?.points && k === this.pointed.k);
    const aim = here < 0 && step === -1 ? lines.length - 1 : here + step;
    const next = lines[Math.min(Math.max(aim, 0), lines.length - 1)];
    this.#point(next, [this.axes[0], this.level(0, next.points.values[0][next.k])]);
    const values = this.data.names.map((name, place) => `${name} ${short(next.points.values[place][next.k])}`);
    this.said.textContent = `${next.points.names[next.k]}: ${values.join(", ")}.`;
  }

  #point(found, at) {
    if (found === null && this.pointed === null) return;
    this.pointed = found;
    this.events.point?.(found === null ? null : found.points.index[found.k]);
    if (found === null) this.hideTip();
    else {
      const { names } = this.data;
      const values = names.slice(0, 8).map((name, place) => `${name} ${short(found.points.values[place][found.k])}`);
      this.showTip(...at, found.points.names[found.k], [...values, ...[this.look.status?.(found.points.index[found.k]) ?? ""].flat()]);
    }
    this.request();
  }
}
