// Angles, shares and the text of a cone count in steps.

import { short } from "./dom.js";

export function drawSteps({ objectives, units }) {
  const words = units.every((unit) => unit === 1) ? "" : `Counted in steps of ${objectives.map((name, place) => `${short(units[place])} ${name}`).join(", ")}.`;
  document.querySelectorAll(".steps").forEach((place) => { place.textContent = words; });
}
