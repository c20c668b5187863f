// Other ways to say the one preference: least shares, weights, a ranking, a matrix. Each shows the present cone, or says that it cannot.

import { byId, element, say, show } from "./dom.js";
import { baseOf, held, settle } from "./preference.js";
import { drawWeights, setUpWeights } from "./weights.js";

let mode = "shares";
let order = [];  // of the ranking that is shown
let start = null;
let changed = null;

export function setUp(given, onChange) {
  [start, changed] = [given, onChange];
  const dim = start.objectives.length;
  order = start.objectives.map((_, place) => place);
  mode = dim > 1 && baseOf(start.cone, dim).text === undefined ? "shares" : dim > 1 && start.cone === `orthant:${dim}` ? "shares" : "text";
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  for (const radio of document.querySelectorAll("input[name=mode]")) {
    radio.closest("label").hidden = radio.value === "weights" ? dim !== 3 : radio.value !== "text" && dim < 2;
    radio.addEventListener("change", () => choose(radio.value));
  }
  drawShares();
  drawRanking();
  if (dim === 3) setUpWeights(start, use);
  byId("rank").addEventListener("click", () => use({ ranking: [...order] }));
  say("columns", `Columns weigh, in this order: ${start.objectives.join("; ")}.${start.minimised.length ? " Where smaller is better, a decrease counts as a gain." : ""}`);
  byId("text").addEventListener("input", () => use(baseOf(byId("text").value, dim)));
  choose(mode);
}

function use(base) {
  held.base = base;
  settle();
  changed();
}

// A way to say it is a view: turning to it changes nothing.
function choose(wanted) {
  mode = wanted;
  for (const radio of document.querySelectorAll("input[name=mode]")) {
    radio.checked = radio.value === mode;
    show(`panel-${radio.value}`, radio.value === mode);
  }
}

// What the controls would say of the cone of the last answer.
export function drawControls(cone) {
  const { views } = held;
  if (document.activeElement !== byId("text")) byId("text").value = cone;
  const more = held.said.length ? " together with what you said" : "";
  say("note-shares", views.shares ? "" : `Your preference${more} cannot be said by least shares alone; moving one starts from these.`);
  if (views.shares) {
    views.shares.forEach((share, place) => {
      const slider = byId(`share-${place}`);
      if (document.activeElement !== slider) slider.value = share;
      byId(`share-out-${place}`).textContent = `${Number(share.toFixed(2))} %`;
    });
  }
  say("note-ranking", views.ranking ? "" : `Your preference${more} is no ranking; moving an objective replaces it.`);
  show("rank", !views.ranking);
  if (start.objectives.length === 3) drawWeights(views);
  if (views.ranking && String(views.ranking) !== String(order)) {
    order = [...views.ranking];
    drawRanking();
  }
}

function drawShares() {
  const sliders = [];
  const rows = start.objectives.map((name, place) => {
    const row = element("div", null, "share");
    const label = element("label", name);
    const slider = element("input");
    const output = element("output", "0 %");
    Object.assign(slider, { type: "range", min: 0, max: 99, step: 1, value: 0, id: `share-${place}` });
    label.htmlFor = slider.id;
    output.htmlFor = slider.id;
    output.id = `share-out-${place}`;
    slider.addEventListener("input", () => {
      // All shares together stay below 100 %, or no weighting would be left.
      const others = sliders.reduce((sum, other) => sum + (other === slider ? 0 : Number(other.value)), 0);
      slider.value = Math.min(Number(slider.value), Math.floor(99 - others));
      output.textContent = `${slider.value} %`;
      use({ shares: sliders.map((each) => Number(each.value)) });
    });
    sliders.push(slider);
    row.append(label, output, slider);
    return row;
  });
  byId("shares").replaceChildren(...rows);
}

function drawRanking(focus = null) {
  const items = order.map((objective, place) => {
    const item = element("li");
    item.append(element("span", start.objectives[objective], "ranked"));
    for (const [step, sign, word] of [[-1, "↑", "up"], [1, "↓", "down"]]) {
      const button = element("button", sign);
      button.type = "button";
      button.id = `rank-${word}-${objective}`;
      button.setAttribute("aria-label", `Move ${start.objectives[objective]} ${word}`);
      button.disabled = place + step < 0 || place + step >= order.length;
      button.addEventListener("click", () => {
        [order[place], order[place + step]] = [order[place + step], order[place]];
        drawRanking(button.id);
        use({ ranking: [...order] });
      });
      item.append(button);
    }
    return item;
  });
  byId("ranking").replaceChildren(...items);
  if (focus === null) return;
  const same = byId(focus);
  (same.disabled ? same.parentElement.querySelector("button:not(:disabled)") : same)?.focus();
}
