// The axes of a plane: round numbers, a grid, and which way is better.

import { FONT, fitted, ticks } from "./canvas.js";
import { short } from "./dom.js";

// Gives the titles as they are written.
export function drawAxes(pen, drawing) {
  const { box: { x, y, w, h }, paints: paint, view, points } = drawing;
  pen.font = `12px ${FONT}`;
  pen.textBaseline = "middle";
  pen.lineWidth = 1;
  for (const value of ticks(...view[0], Math.max(2, w / 110))) {
    const at = Math.round(drawing.across(value)) + 0.5;
    pen.strokeStyle = paint.grid;
    pen.beginPath(); pen.moveTo(at, y); pen.lineTo(at, y + h); pen.stroke();
    pen.fillStyle = paint.soft;
    pen.textAlign = "center";
    pen.fillText(short(value), at, y + h + 17);
  }
  for (const value of points.y ? ticks(...view[1], Math.max(2, h / 70)) : []) {
    const at = Math.round(drawing.up(value)) + 0.5;
    pen.strokeStyle = paint.grid;
    pen.beginPath(); pen.moveTo(x, at); pen.lineTo(x + w, at); pen.stroke();
    pen.fillStyle = paint.soft;
    pen.textAlign = "right";
    pen.fillText(short(value), x - 11, at);
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
