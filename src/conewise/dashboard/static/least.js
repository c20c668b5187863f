// One slider for three objectives and more: the least share of the weight that each of them has.

import { drawCounts } from "./curve.js";
import { byId, element, say, short, show } from "./dom.js";

export function setUpLeast(dim, use) {
  const slider = byId("share");
  slider.max = Math.ceil(100 / dim) - 1;  // some weighting must be left
  byId("share-ends").replaceChildren(element("span", "none may get worse"), element("span", "all weigh the same"));
  slider.addEventListener("input", () => use(Array.from({ length: dim }, () => Number(slider.value))));
}

// How many remain where every objective has at least so much of the weight, and where each one leaves.
export function drawLeaving({ curve, shares }) {
  show("share-curve", curve.length > 0);
  if (curve.length) drawCounts("share-curve", { curve, ends: shares, range: [0, Number(byId("share").max)], step: 1 });
}

export const areAlike = (shares) => shares !== null && shares.every((share) => Math.abs(share - shares[0]) < 1e-9);

// `shares` is null where the preference is no least shares.
export function drawLeast(shares, remain = null) {
  const slider = byId("share");
  const alike = areAlike(shares);
  if (alike && (document.activeElement !== slider || Math.abs(Number(slider.value) - shares[0]) > 0.5)) slider.value = shares[0];
  if (remain !== null) slider.setAttribute("aria-valuetext", `${slider.value} %, ${remain} remain`);
  byId("least").classList.toggle("uneven", !alike);
  say("share-words", alike ? `Each of them has at least ${short(shares[0])} % of the weight.`
    : "Your preference does not give all of them the same least share; moving the slider replaces it.");
}
