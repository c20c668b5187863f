// Numbers over evaluations: one line for each, told apart by colour and by dashes.

import { Drawing, FONT, ticks } from "./canvas.js";
import { short, whole } from "./dom.js";

const MARGIN = { left: 62, right: 16, top: 12, bottom: 46 };

export class Lines extends Drawing {
  constructor(place, label, { x, series, across, up }) {
    super(place, label);
    this.data = { x, series, across, up };
    this.pointed = null;
    this.canvas.addEventListener("pointermove", (event) => this.#point(this.at(event)));
    this.canvas.addEventListener("pointerleave", () => this.#leave());
    this.canvas.addEventListener("blur", () => this.#leave());
    this.canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined || !this.box) return;
      event.preventDefault();
      this.#show(Math.min(Math.max((this.pointed ?? (step > 0 ? -1 : x.length)) + step, 0), x.length - 1));
      this.said.textContent = `${this.tip.textContent}.`;
    });
    this.refresh();
  }

  isReady() { return this.data !== undefined; }

  prepare() {
    const { x, series } = this.data;
    this.box = { x: MARGIN.left, y: MARGIN.top, w: Math.max(10, this.width - MARGIN.left - MARGIN.right), h: Math.max(10, this.height - MARGIN.top - MARGIN.bottom) };
    this.right = Math.max(...x, 1);
    this.top = 1.05 * Math.max(...series.flatMap(({ values }) => values).filter((value) => value !== null), 1e-12);
  }

  across(value) { return this.box.x + (value / this.right) * this.box.w; }

  up(value) { return this.box.y + this.box.h * (1 - value / this.top); }

  drawStill(pen) {
    const { box, paints: paint, data } = this;
    pen.font = `12px ${FONT}`;
    pen.textBaseline = "middle";
    pen.lineWidth = 1;
    const line = (...ends) => { pen.beginPath(); for (const end of ends) pen.lineTo(...end); pen.stroke(); };
    pen.strokeStyle = paint.grid;
    pen.fillStyle = paint.soft;
    pen.textAlign = "center";
    for (const value of ticks(0, this.right, Math.max(2, box.w / 110))) {
      const at = Math.round(this.across(value)) + 0.5;
      line([at, box.y], [at, box.y + box.h]);
      pen.fillText(whole(value), at, box.y + box.h + 14);
    }
    pen.textAlign = "right";
    for (const value of ticks(0, this.top, Math.max(2, box.h / 50))) {
      const at = Math.round(this.up(value)) + 0.5;
      line([box.x, at], [box.x + box.w, at]);
      pen.fillText(short(value), box.x - 8, at);
    }
    pen.fillStyle = paint.ink;
    pen.textAlign = "center";
    pen.fillText(data.across, box.x + box.w / 2, this.height - 12);
    pen.save();
    pen.translate(14, box.y + box.h / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(data.up, 0, 0);
    pen.restore();
    for (const { values, colour, dash } of data.series) {
      pen.strokeStyle = paint[colour];
      pen.lineWidth = 2.2;
      pen.setLineDash(dash);
      const known = data.x.map((x, k) => [x, values[k]]).filter(([, value]) => value !== null);
      line(...known.map(([x, value]) => [this.across(x), this.up(value)]));
      if (known.length !== 1) continue;  // a line of one point is nothing to see
      pen.setLineDash([]);
      pen.beginPath(); pen.arc(this.across(known[0][0]), this.up(known[0][1]), 4, 0, 2 * Math.PI); pen.stroke();
    }
    pen.setLineDash([]);
  }

  drawMoving(pen) {
    if (this.pointed === null) return;
    const at = this.across(this.data.x[this.pointed]);
    pen.strokeStyle = this.paints.soft;
    pen.lineWidth = 1;
    pen.beginPath(); pen.moveTo(at, this.box.y); pen.lineTo(at, this.box.y + this.box.h); pen.stroke();
  }

  #point([x]) {
    if (!this.box) return;
    let found = 0;
    this.data.x.forEach((value, k) => { if (Math.abs(this.across(value) - x) < Math.abs(this.across(this.data.x[found]) - x)) found = k; });
    this.#show(found);
  }

  #show(k) {
    this.pointed = k;
    const { x, series } = this.data;
    this.showTip(this.across(x[k]), this.box.y, `${whole(x[k])} evaluations`, series.map(({ name, values }) => ` ${name} ${short(values[k])}`));
    this.request();
  }

  #leave() {
    this.pointed = null;
    this.hideTip();
    this.request();
  }
}
