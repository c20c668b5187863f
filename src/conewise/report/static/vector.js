// A pen that writes SVG: it takes what the pictures tell a canvas, and no more than they tell it.

const ANCHORS = { left: "start", center: "middle", right: "end" };
const BASELINES = { middle: "central", top: "text-before-edge", alphabetic: "auto" };

const short = (value) => String(Number(value.toFixed(2)));
// Names come from outside: what means something in XML is written as a number, and what XML cannot hold is left out.
const escaped = (text) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "").replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

// A mixture of colours, as forced colours have them, is told in shares of 1; as what a match of rgba(...) would be.
function mixed(written) {
  const found = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+) \/ ([\d.]+)\)$/.exec(written);
  return found ? [written, ...found.slice(1, 4).map((share) => Math.round(255 * share)), found[4]] : [];
}

export class VectorPen {
  // A canvas's pen knows how wide a text is and how colours are written.
  constructor(pen) {
    this.pen = pen;
    this.parts = [];
    this.path = "";
    this.clips = 0;
    this.saved = [];
    this.groups = 0;  // that are open
    Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, lineJoin: "miter", globalAlpha: 1, font: "12px sans-serif", textAlign: "left", textBaseline: "alphabetic", dash: [] });
  }

  save() {
    const { fillStyle, strokeStyle, lineWidth, lineJoin, globalAlpha, font, textAlign, textBaseline, dash, groups } = this;
    this.saved.push({ fillStyle, strokeStyle, lineWidth, lineJoin, globalAlpha, font, textAlign, textBaseline, dash, groups });
  }

  restore() {
    const before = this.saved.pop();
    this.parts.push("</g>".repeat(this.groups - before.groups));
    Object.assign(this, before);
  }

  translate(x, y) { this.#group(`transform="translate(${short(x)} ${short(y)})"`); }

  rotate(angle) { this.#group(`transform="rotate(${short((angle * 180) / Math.PI)})"`); }

  clip() {
    this.clips += 1;
    this.parts.push(`<clipPath id="part-${this.clips}"><path d="${this.path}"/></clipPath>`);
    this.#group(`clip-path="url(#part-${this.clips})"`);
  }

  #group(attributes) {
    this.parts.push(`<g ${attributes}>`);
    this.groups += 1;
  }

  beginPath() { this.path = ""; }

  moveTo(x, y) { this.path += `M${short(x)} ${short(y)}`; }

  lineTo(x, y) { this.path += `${this.path ? "L" : "M"}${short(x)} ${short(y)}`; }

  rect(x, y, w, h) { this.path += `M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}Z`; }

  // Whole circles: the pictures have no others.
  arc(x, y, radius) {
    const [r, twice] = [short(radius), short(2 * radius)];
    this.path += `M${short(x - radius)} ${short(y)}a${r} ${r} 0 1 0 ${twice} 0a${r} ${r} 0 1 0 -${twice} 0`;
  }

  closePath() { this.path += "Z"; }

  setLineDash(dash) { this.dash = dash; }

  fill() { this.parts.push(`<path d="${this.path}" ${this.#colour("fill", this.fillStyle)}/>`); }

  stroke() { this.parts.push(`<path d="${this.path}" fill="none" ${this.#line()}/>`); }

  fillRect(x, y, w, h) { this.parts.push(`<rect ${this.#box(x, y, w, h)} ${this.#colour("fill", this.fillStyle)}/>`); }

  strokeRect(x, y, w, h) { this.parts.push(`<rect ${this.#box(x, y, w, h)} fill="none" ${this.#line()}/>`); }

  measureText(text) {
    this.pen.font = this.font;
    return this.pen.measureText(text);
  }

  fillText(text, x, y) { this.#text(text, x, y, this.#colour("fill", this.fillStyle)); }

  strokeText(text, x, y) { this.#text(text, x, y, `fill="none" ${this.#line()}`); }

  #text(text, x, y, look) {
    const [, weight = "400", size, family] = /^(?:(\d+) )?([\d.]+)px (.+)$/.exec(this.font);
    this.parts.push(`<text x="${short(x)}" y="${short(y)}" font-family="${escaped(family)}" font-size="${size}" font-weight="${weight}" text-anchor="${ANCHORS[this.textAlign]}" dominant-baseline="${BASELINES[this.textBaseline]}" ${look}>${escaped(text)}</text>`);
  }

  #box(x, y, w, h) { return `x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}"`; }

  #line() {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    return `${this.#colour("stroke", this.strokeStyle)} stroke-width="${short(this.lineWidth)}" stroke-linejoin="${this.lineJoin}"${dash}`;
  }

  // A canvas says every colour as #rrggbb, or as rgba(...) where something shines through; older programs know no other.
  #colour(kind, colour) {
    this.pen.fillStyle = colour;
    const written = this.pen.fillStyle;
    const [, red, green, blue, alpha] = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(written) ?? mixed(written);
    const opacity = Number(alpha ?? 1) * this.globalAlpha;
    return `${kind}="${alpha === undefined ? written : `rgb(${red},${green},${blue})`}"${opacity < 1 ? ` ${kind}-opacity="${short(opacity)}"` : ""}`;
  }

  text(width, height, title) {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`
      + `<title>${escaped(title)}</title>${this.parts.join("\n")}</svg>\n`;
  }
}
