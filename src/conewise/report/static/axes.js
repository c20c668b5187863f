// The axes of a plane: round numbers, a grid, and which way is better.

import { FONT, fitted, ticks } from "./canvas.js";
import { short } from "./dom.js";

const APART = [110, 70];  // pixels between two numbers, across and up
const GAP = 11;  // between the numbers and the axis that goes up
const TITLE = 24;  // pixels that its title takes, with some air

// The numbers of an axis and how they are written: with as many digits as tell them apart.
function scale(view, place, room) {
  const values = ticks(...view[place], Math.max(2, room / APART[place]));
  const shown = values.map(short);
  const isApart = new Set(shown).size === shown.length;
  return values.map((value, k) => [value, isApart ? shown[k] : String(value)]);
}

// How far from the left the axis that goes up must stand, so that its title lies on none of its numbers.
export function roomBeside(pen, view, h) {
  pen.font = `12px ${FONT}`;
  return TITLE + GAP + Math.max(0, ...scale(view, 1, h).map(([, text]) => Math.ceil(pen.measureText(text).width)));
}

// Gives the titles as they are written.
export function drawAxes(pen, drawing) {
  const { box: { x, y, w, h }, paints: paint, view, points } = drawing;
  pen.font = `12px ${FONT}`;
  pen.textBaseline = "middle";
  pen.lineWidth = 1;
  for (const [value, text] of scale(view, 0, w)) {
    const at = Math.round(drawing.across(value)) + 0.5;
    pen.strokeStyle = paint.grid;
    pen.beginPath(); pen.moveTo(at, y); pen.lineTo(at, y + h); pen.stroke();
    pen.fillStyle = paint.soft;
    pen.textAlign = "center";
    pen.fillText(text, at, y + h + 17);
  }
  for (const [value, text] of points.y ? scale(view, 1, h) : []) {
    const at = Math.round(drawing.up(value)) + 0.5;
    pen.strokeStyle = paint.grid;
    pen.beginPath(); pen.moveTo(x, at); pen.lineTo(x + w, at); pen.stroke();
    pen.fillStyle = paint.soft;
    pen.textAlign = "right";
    pen.fillText(text, x - GAP, at);
  }
  return drawTitles(pen, drawing);
}

// Which way is better stands at every axis, as an arrow and in words.
function drawTitles(pen, { box: { x, y, w, h }, paints, names, signs, points, height }) {
  const title = (place, room) => {
    pen.font = `12px ${FONT}`;
    const words = `, ${signs[place] < 0 ? "smaller is better" : "larger is better"}`;
    const text = `${fitted(pen, names[place], Math.max(30, room - pen.measureText(words).width - 30))}${words}`;
    return signs[place] < 0 ? `← ${text}` : `${text} →`;
  };
  pen.fillStyle = paints.ink;
  pen.textAlign = "center";
  const titles = [title(0, w)];
  pen.fillText(titles[0], x + w / 2, height - 12);
  if (!points.y) return titles;
  titles.push(title(1, h));  // read upwards, so that → points up
  pen.save();
  pen.translate(14, y + h / 2);
  pen.rotate(-Math.PI / 2);
  pen.fillText(titles[1], 0, 0);
  pen.restore();
  return titles;
}
