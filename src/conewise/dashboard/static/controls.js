// The four ways to state a preference, and what they currently say.

import { byId, element, say, show } from "./dom.js";

export const state = { mode: "degrees", degrees: 90, shares: [], ranking: [], text: "" };

export function preference() {
  return { [state.mode]: state[state.mode] };
}

export function setUp(start, changed) {
  const dim = start.objectives.length;
  state.shares = start.objectives.map(() => 0);
  state.ranking = start.objectives.map((_, place) => place);
  state.text = start.cone;
  state.mode = firstMode(start.cone, dim);
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  for (const radio of document.querySelectorAll("input[name=mode]")) {
    radio.closest("label").hidden = (radio.value === "degrees" && dim !== 2) || (radio.value !== "text" && dim < 2);
    radio.addEventListener("change", () => { choose(radio.value); changed(); });
  }
  setUpAngle(changed);
  drawShares(start.objectives, changed);
  drawRanking(start.objectives, changed);
  say("columns", `Columns weigh, in this order: ${start.objectives.join("; ")}.${start.minimised.length ? " Where smaller is better, a decrease counts as a gain." : ""}`);
  byId("text").addEventListener("input", () => { state.text = byId("text").value; changed(); });
  choose(state.mode);
}

// The cone of the last answer: what the matrix starts from when one turns to it.
export function remember(cone) {
  if (state.mode !== "text") { state.text = cone; byId("text").value = cone; }
}

function firstMode(cone, dim) {
  const angle = /^planar:([0-9.]+)$/.exec(cone);
  if (dim === 2 && (angle || cone === "orthant:2")) {
    state.degrees = angle ? Number(angle[1]) : 90;
    return "degrees";
  }
  return dim > 1 && cone === `orthant:${dim}` ? "shares" : "text";
}

function choose(mode) {
  state.mode = mode;
  for (const radio of document.querySelectorAll("input[name=mode]")) {
    radio.checked = radio.value === mode;
    show(`panel-${radio.value}`, radio.value === mode);
  }
  byId("text").value = state.text;
}

function setUpAngle(changed) {
  const slider = byId("degrees");
  const typed = byId("degrees-exact");
  slider.value = typed.value = state.degrees;
  slider.addEventListener("input", () => {
    state.degrees = Number(slider.value);
    typed.value = slider.value;
    changed();
  });
  typed.addEventListener("input", () => {
    if (typed.value === "" || !(typed.valueAsNumber > 0 && typed.valueAsNumber < 180)) return;
    state.degrees = typed.valueAsNumber;
    slider.value = typed.value;
    changed();
  });
}

function drawShares(objectives, changed) {
  const rows = objectives.map((name, place) => {
    const row = element("div", null, "share");
    const label = element("label", name);
    const slider = element("input");
    const output = element("output", "0 %");
    Object.assign(slider, { type: "range", min: 0, max: 99, step: 1, value: 0, id: `share-${place}` });
    label.htmlFor = slider.id;
    output.htmlFor = slider.id;
    slider.addEventListener("input", () => {
      // All shares together stay below 100 %, or no weighting would be left.
      const others = state.shares.reduce((sum, share, other) => sum + (other === place ? 0 : share), 0);
      state.shares[place] = Math.min(Number(slider.value), 99 - others);
      slider.value = state.shares[place];
      output.textContent = `${state.shares[place]} %`;
      changed();
    });
    row.append(label, output, slider);
    return row;
  });
  byId("shares").replaceChildren(...rows);
}

function drawRanking(objectives, changed, focus = null) {
  const items = state.ranking.map((objective, place) => {
    const item = element("li");
    item.append(element("span", objectives[objective], "ranked"));
    for (const [step, sign, word] of [[-1, "↑", "up"], [1, "↓", "down"]]) {
      const button = element("button", sign);
      button.type = "button";
      button.id = `rank-${word}-${objective}`;
      button.setAttribute("aria-label", `Move ${objectives[objective]} ${word}`);
      button.disabled = place + step < 0 || place + step >= state.ranking.length;
      button.addEventListener("click", () => {
        [state.ranking[place], state.ranking[place + step]] = [state.ranking[place + step], state.ranking[place]];
        drawRanking(objectives, changed, button.id);
        changed();
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
