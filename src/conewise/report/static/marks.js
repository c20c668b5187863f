// The marks of designs, with any pen: on a canvas once and copied from then on, in a file each on its own.

export function drawMark(pen, { shape, size, fill, edge }) {
  const half = size / 2;
  pen.beginPath();
  if (shape === "cross") for (const [x, y] of [[-half, -half], [half, -half]]) { pen.moveTo(x, y); pen.lineTo(-x, -y); }
  else if (shape === "square") pen.rect(-half, -half, size, size);
  else if (shape === "diamond") for (const [x, y] of [[0, -0.6], [0.6, 0], [0, 0.6], [-0.6, 0]]) pen.lineTo(x * size, y * size);
  else pen.arc(0, 0, half, 0, 2 * Math.PI);
  if (shape !== "cross") pen.closePath();
  const hollow = shape === "cross" || shape === "ring";
  if (!hollow) { pen.fillStyle = fill; pen.fill(); }
  pen.strokeStyle = hollow ? fill : edge;
  pen.lineWidth = hollow ? 1.5 : 1;
  pen.stroke();
}
