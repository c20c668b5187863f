// What every picture on a canvas needs: its size, the colours of the theme, one drawing a frame, and a label beside the pointer.

import { element } from "./dom.js";
import { drawMark } from "./marks.js";
import { VectorPen } from "./vector.js";

const AROUND = [24, 16, 12, 8, 4];  // letters that names share, beside those in which they differ: as many as there is room for
const SHARPEST = 2;  // pixels of the canvas for one of the page: more costs time and shows nothing
const NAMES = ["ink", "soft", "paper", "quiet", "grid", "axis", "blue", "orange", "green", "wedge", "beaten"];
export const FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";

// Colours are the style sheet's, so that pictures follow the theme.
export function colours() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

// Round numbers inside a range, about so many, and two at least: one alone gives no scale.
export function ticks(low, high, most) {
  const found = evenly(low, high, most);
  return found.length > 1 ? found : evenly(low, high, 2 * Math.max(1, most));
}

function evenly(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((times) => times * power >= rough * 0.999);
  if (!(step > 0) || !Number.isFinite(step)) return [];
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first;
  return Array.from({ length: Math.min(Math.max(0, count + 1), 50) }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

// A text as far as there is room for it.
export function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  const letters = [...text];
  const cut = (n) => [...letters.slice(0, Math.ceil((2 * n) / 3)), "…", ...letters.slice(letters.length - Math.floor(n / 3))].join("");
  let [low, high] = [0, letters.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(cut(middle)).width <= room) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

// Texts side by side: where cutting makes different ones equal, they are cut to where they differ, or numbered.
export function fittedApart(pen, texts, room) {
  const apart = (shown, mend) => texts.map((text, k) => {
    const alike = texts.filter((other, j) => shown[j] === shown[k] && other !== text);
    return alike.length ? mend(text, alike, k) : shown[k];
  });
  const shared = (text, others) => Math.min(...others.map((other) => { const n = text.findIndex((letter, i) => letter !== other[i]); return n < 0 ? text.length : n; }));
  const middle = (text, alike) => {
    const letters = [...text];
    const head = shared(letters, alike.map((other) => [...other]));
    const tail = shared([...letters].reverse(), alike.map((other) => [...other].reverse()));
    const around = (more) => {
      const [start, end] = [Math.max(0, head - more), Math.min(letters.length, Math.max(head + 1, letters.length - tail) + more)];
      return `${start ? "…" : ""}${letters.slice(start, end).join("")}${end < letters.length ? "…" : ""}`;
    };
    const fits = AROUND.map(around).find((shown) => pen.measureText(shown).width <= room);
    return fits ?? fitted(pen, around(AROUND.at(-1)), room);
  };
  return apart(apart(texts.map((text) => fitted(pen, text, room)), middle), (text, _, k) => fitted(pen, `${k + 1}: ${text}`, room));
}

export class Drawing {
  constructor(place, label) {
    this.place = place;
    this.canvas = element("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", label);
    this.tip = element("div", null, "tip");
    this.tip.hidden = true;
    this.said = element("p", "", "unseen");
    this.said.setAttribute("role", "status");
    place.replaceChildren(this.canvas, this.tip, this.said);
    place.drawing = this;
    this.pen = this.canvas.getContext("2d", { alpha: false });  // nothing shines through, which is quicker to show
    this.still = element("canvas");  // what does not change with the cone
    this.frame = 0;
    this.frames = 0;
    this.stale = true;
    this.width = this.height = 0;
    this.ended = new AbortController();
    const sizes = new ResizeObserver(() => this.measure());
    sizes.observe(place);
    this.ended.signal.addEventListener("abort", () => sizes.disconnect());
    // At once: before a page is printed there is no other frame.
    document.addEventListener("themechange", () => { this.stale = true; this.paint(); }, { signal: this.ended.signal });
    this.measure();
  }

  // Another kind of picture takes its place.
  end() { this.ended.abort(); cancelAnimationFrame(this.frame); }

  // A hidden picture has no room; on paper one is laid out by its own proportions.
  measure() {
    if (this.width && window.matchMedia("print").matches) return;
    const [width, height] = [this.place.clientWidth, this.place.clientHeight];
    if (!width || !height || (width === this.width && height === this.height)) return;
    this.sharp = Math.min(SHARPEST, window.devicePixelRatio || 1);
    [this.width, this.height] = [width, height];
    for (const canvas of [this.canvas, this.still]) {
      canvas.width = Math.round(width * this.sharp);
      canvas.height = Math.round(height * this.sharp);
    }
    this.refresh();
  }

  refresh() {
    this.stale = true;
    this.request();
  }

  // One drawing a frame, however often it is asked for.
  request() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.paint(); });
  }

  paint() {
    if (!this.width || !this.isReady()) return;
    if (this.stale) {
      this.paints = colours();
      this.sprites = new Map();
      this.prepare();
      const pen = this.still.getContext("2d", { alpha: false });
      pen.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
      pen.fillStyle = this.paints.paper;
      pen.fillRect(0, 0, this.width, this.height);
      this.drawStill(pen);
      this.stale = false;
    }
    this.pen.setTransform(1, 0, 0, 1, 0, 0);
    this.pen.drawImage(this.still, 0, 0);
    this.pen.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
    this.drawMoving(this.pen);
    this.frames += 1;
  }

  // The picture as it stands, as a drawing whose every mark and word can be edited.
  vector() {
    const pen = new VectorPen(this.pen);
    pen.fillStyle = this.paints.paper;
    pen.fillRect(0, 0, this.width, this.height);
    this.drawStill(pen);
    this.drawMoving(pen);
    return pen.text(this.width, this.height, this.canvas.getAttribute("aria-label"));
  }

  // A mark drawn once and copied from then on.
  sprite(shape, size, fill, edge) {
    const key = `${shape}${size}${fill}${edge}`;
    let made = this.sprites.get(key);
    if (!made) {
      made = element("canvas");
      const room = size + 4;
      made.width = made.height = Math.ceil(room * this.sharp);
      const pen = made.getContext("2d");
      pen.setTransform(this.sharp, 0, 0, this.sharp, 0, 0);
      pen.translate(room / 2, room / 2);
      made.mark = { shape, size, fill, edge };
      drawMark(pen, made.mark);
      made.room = room;
      this.sprites.set(key, made);
    }
    return made;
  }

  stamp(pen, sprite, x, y) {
    if (pen instanceof VectorPen) {
      pen.save();
      pen.translate(x, y);
      drawMark(pen, sprite.mark);
      pen.restore();
      return;
    }
    pen.drawImage(sprite, x - sprite.room / 2, y - sprite.room / 2, sprite.width / this.sharp, sprite.height / this.sharp);
  }

  get nameRoom() { return Math.min(260, this.width - 20); }

  // Names that are written into the picture, by the designs' numbers.
  written(pen, names) {
    pen.font = `600 12px ${FONT}`;
    const shown = fittedApart(pen, [...names.values()], this.nameRoom);
    return new Map([...names.keys()].map((index, k) => [index, shown[k]]));
  }

  // A text that stays readable over points and lines.
  write(pen, text, x, y, colour, { align = "left", weight = "600", size = 12 } = {}) {
    pen.font = `${weight} ${size}px ${FONT}`;
    pen.textBaseline = "middle";
    const shown = fitted(pen, text, this.nameRoom);
    const wide = pen.measureText(shown).width;
    const left = Math.min(Math.max(4, align === "left" ? x : x - wide), this.width - wide - 4);
    pen.textAlign = "left";
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = this.paints.paper;
    pen.strokeText(shown, left, y);
    pen.fillStyle = colour;
    pen.fillText(shown, left, y);
  }

  // Names come from outside: they enter as text.
  showTip(x, y, name, lines) {
    this.tip.replaceChildren(element("strong", name), ...lines.map((line) => element("span", line)));
    this.tip.hidden = false;
    const { offsetWidth: wide, offsetHeight: high } = this.tip;
    this.tip.style.left = `${Math.max(2, x + 16 + wide > this.width ? x - wide - 12 : x + 16)}px`;
    this.tip.style.top = `${Math.max(2, Math.min(y + 12, this.height - high - 4))}px`;
  }

  hideTip() { this.tip.hidden = true; }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
}
