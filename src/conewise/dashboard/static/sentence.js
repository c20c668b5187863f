// The head of the page: the preference as a sentence whose numbers can be changed.

import { byId, element, say, short } from "./dom.js";
import { fits, held, inUnits, rates, setRate } from "./preference.js";

const NEVER = "∞";
const STEP = 1.05;  // what an arrow key does to a number

let start = null;
let moved = null;
let shape = "";  // what the sentence looks like, so that it is written anew only when it must be
let pair = [0, 1];  // with more than two objectives: which loss, which gain

const turned = (place) => start.minimised.includes(start.objectives[place]);
const worse = (place) => `${turned(place) ? "more" : "less"} ${start.objectives[place]}`;
const better = (place) => `${turned(place) ? "less" : "more"} ${start.objectives[place]}`;

export function setUpSentence(given, onChange) {
  [start, moved, shape] = [given, onChange, ""];
}

export function drawSentence(answer) {
  if (start.objectives.length === 2) drawTwo(answer);
  else if (start.objectives.length > 2) drawMany(answer);
  else say("sentence", `${turned(0) ? "Smaller" : "Larger"} ${start.objectives[0]} is better.`);
}

function drawTwo(answer) {
  const found = rates();
  if (!found) {
    shape = "";
    const words = answer?.first.words[1] ?? "";
    say("sentence", `Your preference is a matrix that no exchange can say. ${words}`);
    return;
  }
  const kinds = found.map(({ kind }) => (kind === "needs" ? "needs" : "pays"));
  if (shape !== kinds.join()) {
    shape = kinds.join();
    const parts = kinds.map((kind, loss) => {
      const gain = 1 - loss;
      const words = kind === "pays"
        ? [loss === 0 ? `For 1 ${worse(loss)} you want at least ` : `; for 1 ${worse(loss)} at least `, ` ${better(gain)}`]
        : [`${loss === 0 ? "1" : "; 1"} ${better(gain)} counts only with at least `, ` ${better(loss)}`];
      const label = kind === "pays" ? `${better(gain)} that you want for 1 ${worse(loss)}` : `${better(loss)} that must come with 1 ${better(gain)}`;
      return [words[0], number(`rate-${loss}`, label, (value) => typed(loss, kind, value)), words[1]];
    });
    byId("sentence").replaceChildren(...parts.flat(), ".");
  }
  found.forEach(({ rate }, loss) => put(`rate-${loss}`, inUnits(rate, ...(kinds[loss] === "pays" ? [loss, 1 - loss] : [1 - loss, loss]))));
}

function typed(loss, kind, amount) {
  const rate = inUnits(amount, ...(kind === "pays" ? [1 - loss, loss] : [loss, 1 - loss]));  // back into steps
  const asked = Number.isFinite(rate) ? kind : "never";
  if (!(rate > 0) && !(kind === "needs" && rate === 0)) return "an amount is a positive number, or ∞ for: no amount is enough.";
  if (!fits(loss, asked, rate)) {
    return "at these two rates one would gain by trading to and fro: their product must be above 1; raise one of them.";
  }
  setRate(loss, rate === 0 ? "never" : asked, rate);
  moved();
  return "";
}

// One exchange at a time, between two objectives that one chooses.
function drawMany() {
  const [loss, gain] = pair;
  if (shape !== "many") {
    shape = "many";
    const list = (id, label, words, at) => {
      const made = element("select");
      made.id = id;
      made.setAttribute("aria-label", label);
      made.replaceChildren(...start.objectives.map((_, place) => {
        const option = element("option", words(place));
        option.value = place;
        return option;
      }));
      made.addEventListener("change", () => {
        const place = Number(made.value);
        if (pair[1 - at] === place) pair[1 - at] = pair[at];
        pair[at] = place;
        drawMany();
        byId("rate").value = byId("rate").dataset.rate;  // what was typed belongs to the last exchange
      });
      return made;
    };
    byId("sentence").replaceChildren("For 1 ", list("give", "What you would give", worse, 0), " you want at least ",
      number("rate", "How much you want for it", exchange), " ", list("get", "What you would get", better, 1), ".");
  }
  byId("give").value = loss;
  byId("get").value = gain;
  put("rate", inUnits(held.views?.exchanges?.[loss]?.[gain] ?? Infinity, loss, gain));
}

// An exchange is a statement; one about the same pair takes its place.
function exchange(rate) {
  const [loss, gain] = pair;
  if (!(rate > 0)) return "an amount is a positive number, or ∞ for: no amount is enough.";
  held.said = held.said.filter(({ accept }) => !(accept && accept[0] === loss && accept[2] === gain));
  if (Number.isFinite(rate)) held.said.push({ accept: [loss, 1, gain, rate] });
  moved();
  return "";
}

function number(id, label, accept) {
  const made = element("input");
  Object.assign(made, { id, type: "text", inputMode: "decimal", autocomplete: "off", className: "rate" });
  made.setAttribute("aria-label", label);
  const use = () => {
    const text = made.value.trim().replace(",", ".");
    size(made);
    const value = ["", NEVER, "never"].includes(text.toLowerCase()) ? Infinity : Number(text);
    say("refusal", sentenceOf(accept(value)));
  };
  made.addEventListener("input", use);
  made.addEventListener("keydown", (event) => {
    const factor = { ArrowUp: STEP, ArrowDown: 1 / STEP }[event.key];
    if (event.key === "Enter") event.preventDefault();
    if (!factor || !Number.isFinite(Number(made.value))) return;
    event.preventDefault();
    made.value = Number((Number(made.value) * factor).toPrecision(3));
    use();
  });
  made.addEventListener("blur", () => { if (made.dataset.rate) { made.value = made.dataset.rate; size(made); } });
  return made;
}

const sentenceOf = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function put(id, rate) {
  const field = byId(id);
  const text = Number.isFinite(rate) ? short(Number(rate.toPrecision(3))) : NEVER;
  field.dataset.rate = text;
  if (document.activeElement === field || field.value === text) return;
  field.value = text;
  size(field);
}

// Of one width for most numbers, so that the line does not move with them.
function size(field) {
  const width = `${Math.max(4, field.value.length) + 1.2}ch`;
  if (field.style.width !== width) field.style.width = width;
}
