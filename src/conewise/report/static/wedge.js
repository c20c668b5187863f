// The cone in the picture: what would beat the design at its tip, what it beats, and two handles by which it is turned.

import { unit } from "./geometry.js";

const ARM = 0.3;  // of the picture's shorter side: how far the handles are from their design

// `turnable`: draws the handles as well, and says where they are.
export function drawWedge(pen, drawing, apex, turnable) {
  const { steps, scale, paints, look: { edges } } = drawing;
  const [x, y] = [drawing.px[apex], drawing.py[apex]];
  const far = 8 * (drawing.width + drawing.height);
  const direction = ([a, b]) => unit([steps[0] * a * scale[0], -steps[1] * b * scale[1]]);  // of a ray, in the picture
  const rays = [edges[0], unit([edges[0][0] + edges[1][0], edges[0][1] + edges[1][1]]), edges[1]].map(direction);
  const fill = (side, colour) => {
    pen.beginPath();
    pen.moveTo(x, y);
    rays.forEach(([dx, dy], k) => pen.lineTo(x + side * dx * far * (k === 1 ? 2 : 1), y + side * dy * far * (k === 1 ? 2 : 1)));
    pen.closePath();
    pen.fillStyle = colour;
    pen.fill();
  };
  fill(1, paints.wedge);
  fill(-1, paints.beaten);
  if (!turnable) return null;
  const handles = [rays[0], rays[2]].map((ray) => handle(drawing.box, x, y, ray));
  pen.strokeStyle = paints.orange;
  pen.lineWidth = 1.5;
  for (const [hx, hy] of handles) {
    pen.beginPath(); pen.moveTo(x, y); pen.lineTo(hx, hy); pen.stroke();
    pen.beginPath(); pen.arc(hx, hy, 6, 0, 2 * Math.PI);
    pen.fillStyle = paints.paper;
    pen.fill();
    pen.stroke();
  }
  return handles;
}

// As far out as the picture allows.
function handle(box, x, y, [dx, dy]) {
  const room = (at, d, low, high) => (d > 0 ? (high - at) / d : d < 0 ? (low - at) / d : Infinity);
  const arm = Math.min(ARM * Math.min(box.w, box.h), room(x, dx, box.x + 8, box.x + box.w - 8), room(y, dy, box.y + 8, box.y + box.h - 8));
  return [x + dx * Math.max(18, arm), y + dy * Math.max(18, arm)];
}
