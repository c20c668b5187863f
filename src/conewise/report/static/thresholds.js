// Levels in a picture: a line across it, the ground beyond it faded, and a tab by which the line is dragged.

const TAB = 9;  // pixels
const REACH = { mouse: 10, touch: 22 };

// bars: { axis, isSet, from: [x, y], to: [x, y], shade: [x, y, w, h], tab: [x, y], side: [dx, dy] }
export function drawShades(pen, paints, bars) {
  pen.globalAlpha = 0.72;
  pen.fillStyle = paints.paper;
  for (const { shade, isSet } of bars) if (isSet) pen.fillRect(...shade);
  pen.globalAlpha = 1;
}

export function drawBars(pen, paints, bars, canBeDragged) {
  const there = bars.filter(({ isSet }) => isSet);
  pen.strokeStyle = paints.ink;
  pen.lineWidth = 1.5;
  pen.setLineDash([8, 4]);
  for (const { from, to } of there) { pen.beginPath(); pen.moveTo(...from); pen.lineTo(...to); pen.stroke(); }
  pen.setLineDash([]);
  for (const { tab, side, isSet } of canBeDragged ? bars : []) drawTab(pen, tab, side, isSet ? paints.ink : paints.paper, paints.ink);
}

// A triangle that points at the line from outside.
function drawTab(pen, [x, y], [dx, dy], fill, edge) {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x - dx * TAB + (dy * TAB) / 1.6, y - dy * TAB + (dx * TAB) / 1.6);
  pen.lineTo(x - dx * TAB - (dy * TAB) / 1.6, y - dy * TAB - (dx * TAB) / 1.6);
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = edge;
  pen.lineWidth = 1.2;
  pen.stroke();
}

// Which bar's tab is under the pointer; null where none is.
export function barAt(bars, [x, y], touch) {
  const reach = touch ? REACH.touch : REACH.mouse;
  return bars.find(({ tab, side }) => Math.hypot(tab[0] - (side[0] * TAB) / 2 - x, tab[1] - (side[1] * TAB) / 2 - y) <= reach) ?? null;
}
