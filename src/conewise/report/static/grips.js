// Brushes by the keyboard: both ends of every axis are sliders with a name, laid over the picture. All are one stop for the Tab key.

import { element, short, visit } from "./dom.js";

const STEPS = { ArrowUp: 0.02, ArrowDown: -0.02, PageUp: 0.1, PageDown: -0.1, Home: -1, End: 1 };  // shares of an axis
const ENDS = ["lower", "upper"];
const CLEARING = ["Delete", "Backspace", "Escape"];

export class Grips {
  constructor(drawing) {
    this.drawing = drawing;
    this.all = [];  // the lower end of the first axis, its upper end, and so on
    this.group = element("div");
    this.group.setAttribute("role", "group");
    this.group.setAttribute("aria-label", "Brushes of the axes: up and down move an end, left and right go to another one, Delete clears");
    this.group.addEventListener("keydown", (event) => this.#key(event));
    drawing.place.append(this.group);
  }

  // Where the ends are now.
  lay() {
    const { data: { names, ranges }, axes } = this.drawing;
    if (this.all.length !== 2 * axes.length) this.#make(axes.length);
    this.group.hidden = ranges.length < axes.length;  // nobody has values yet
    if (this.group.hidden) return;
    this.all.forEach((grip, at) => {
      const [place, end] = [at >> 1, at & 1];
      const share = this.#shares(place)[end];
      const value = this.drawing.valueAt(place, share);
      grip.style.left = `${axes[place]}px`;
      grip.style.top = `${this.drawing.level(place, value)}px`;
      const isMost = (end === 1) !== this.drawing.data.turned[place];
      const told = { label: `${names[place]}, ${ENDS[end]} end of the brush`, valuemin: ranges[place][0], valuemax: ranges[place][1], valuenow: value, valuetext: `${isMost ? "at most" : "at least"} ${short(value)}` };
      for (const [key, word] of Object.entries(told)) grip.setAttribute(`aria-${key}`, word);
    });
  }

  #make(axes) {
    this.all = Array.from({ length: 2 * axes }, () => {
      const grip = element("span", null, "grip");
      grip.setAttribute("role", "slider");
      grip.setAttribute("aria-orientation", "vertical");
      return grip;
    });
    visit(this.all, this.all[0]);
    this.group.replaceChildren(...this.all);
  }

  // How far up both ends of a brush are, in shares of the axis.
  #shares(place) {
    const { data, brushes } = this.drawing;
    const [low, high] = data.ranges[place];
    const found = brushes.get(place);
    if (!found || !(high > low)) return [0, 1];
    const shares = found.map((value) => (value - low) / (high - low));
    return data.turned[place] ? [1 - shares[1], 1 - shares[0]] : shares;
  }

  #key(event) {
    const at = this.all.indexOf(event.target);
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const step = STEPS[event.key];
    const isClearing = CLEARING.includes(event.key);
    if (at < 0 || (way === undefined && step === undefined && !isClearing)) return;
    event.preventDefault();
    if (way !== undefined) {
      const next = this.all[(at + way + this.all.length) % this.all.length];
      visit(this.all, next);
      next.focus();
      return;
    }
    const [place, end] = [at >> 1, at & 1];
    const shares = this.#shares(place);
    const [least, most] = end === 0 ? [0, shares[1]] : [shares[0], 1];
    shares[end] = Math.min(Math.max(Number((shares[end] + step).toFixed(6)), least), most);  // one end never passes the other
    this.drawing.brush(place, isClearing || (shares[0] === 0 && shares[1] === 1) ? null : shares.map((share) => this.drawing.valueAt(place, share)));
  }
}
