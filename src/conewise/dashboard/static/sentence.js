// The head of the page: the preference as a sentence whose numbers can be changed.

import { atLeast } from "./amounts.js";
import { byId, element, say, short } from "./dom.js";
import { numberIn, refusalOf } from "./numbers.js";
import { fits, held, rates, setRate, undoing } from "./preference.js";

const NEVER = "∞";
const STEP = 1.05;  // what an arrow key does to a number

let start = null;
let moved = null;
let shape = "";  // what the sentence looks like, so that it is written anew only when it must be
let pair = [0, 1];  // with more than two objectives: which loss, which gain

const turned = (place) => start.minimised.includes(start.objectives[place]);
const worse = (place) => `${turned(place) ? "more" : "less"} ${start.objectives[place]}`;
const better = (place) => `${turned(place) ? "less" : "more"} ${start.objectives[place]}`;
const step = (place) => short(start.units[place]);  // what is given or must come is one step of it

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
        ? [`${loss === 0 ? "For" : "; for"} ${step(loss)} ${worse(loss)} ${loss === 0 ? "you want " : ""}at least `, ` ${better(gain)}`]
        : [`${loss === 0 ? "" : "; "}${step(gain)} ${better(gain)} counts only with at least `, ` ${better(loss)}`];
      const label = kind === "pays" ? `${better(gain)} that you want for ${step(loss)} ${worse(loss)}` : `${better(loss)} that must come with ${step(gain)} ${better(gain)}`;
      return [words[0], number(`rate-${loss}`, label, (value) => typed(loss, kind, value)), words[1]];
    });
    byId("sentence").replaceChildren(...parts.flat(), ".");
  }
  found.forEach(({ rate }, loss) => put(`rate-${loss}`, rate * start.units[kinds[loss] === "pays" ? 1 - loss : loss]));
}

function typed(loss, kind, amount) {
  const rate = amount / start.units[kind === "pays" ? 1 - loss : loss];  // in steps
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
    const given = element("span");
    given.id = "given";
    const end = element("span", null, "full");  // the stop stays with the list before it
    end.append(list("get", "What you would get", better, 1), ".");
    byId("sentence").replaceChildren("For ", given, " ", list("give", "What you would give", worse, 0), " you want at least ",
      number("rate", "How much you want for it", exchange), " ", end);
  }
  byId("give").value = loss;
  byId("get").value = gain;
  say("given", step(loss));
  put("rate", (held.views?.exchanges?.[loss]?.[gain] ?? Infinity) * start.units[gain]);
}

// An exchange is a statement; one about the same pair takes its place.
function exchange(amount) {
  const [loss, gain] = pair;
  if (!(amount > 0)) return "an amount is a positive number, or ∞ for: no amount is enough.";
  held.said = held.said.filter(({ accept }) => !(accept && accept[0] === loss && accept[2] === gain));
  if (Number.isFinite(amount)) held.said.push({ accept: [loss, start.units[loss], gain, amount] });
  moved();
  return "";
}

function number(id, label, accept) {
  const made = element("input");
  Object.assign(made, { id, type: "text", inputMode: "decimal", autocomplete: "off", className: "rate" });
  made.setAttribute("aria-label", label);
  let [refused, undo] = ["", undoing()];
  made.addEventListener("focus", () => { undo = undoing(); });
  const use = () => {
    size(made);
    const value = ["", NEVER, "never"].includes(made.value.trim().toLowerCase()) ? Infinity : numberIn(made.value);
    if (Number.isNaN(value)) { undo(); moved(); }
    refused = sentenceOf(Number.isNaN(value) ? refusalOf(made.value) : accept(value));
    say("refusal", refused);
  };
  made.addEventListener("input", use);
  made.addEventListener("keydown", (event) => {
    const factor = { ArrowUp: STEP, ArrowDown: 1 / STEP }[event.key];
    if (event.key === "Enter") event.preventDefault();
    if (!factor || Number.isNaN(numberIn(made.value))) return;
    event.preventDefault();
    made.value = Number((numberIn(made.value) * factor).toPrecision(3));
    use();
  });
  made.addEventListener("blur", () => {
    if (!made.dataset.rate) return;
    made.value = made.dataset.rate;  // what holds, of which nothing is refused
    size(made);
    if (refused && byId("refusal").textContent === refused) say("refusal", "");
  });
  return made;
}

const sentenceOf = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function put(id, rate) {
  const field = byId(id);
  const text = Number.isFinite(rate) ? short(atLeast(rate)) : NEVER;
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
