// Cards, lists and sentences.

import { sentence } from "./api.js";
import { byId, chooser, element, large, say, short, show, whole } from "./dom.js";
import { missedWords } from "./levels.js";
import { wordsBack } from "./returning.js";
import { byAverages, nowWords, studyWords, withError } from "./verdicts.js";

const NEXT = 5;

// A front that takes long to count is estimated first, from a sample of the designs.
export const counted = (number, answer) => (answer.estimated ? `about ${whole(Number(number.toPrecision(2)))}` : whole(number));

export function drawCards(start, answer) {
  const first = answer.first;
  say("designs", whole(answer.designs));
  say("beta", (first.exact ? "" : "at most ") + String(Number(first.beta.toFixed(4))));
  say("total", first.cost.error ? "–" : large(first.cost.total));
  const tails = { gaussian: "exact normal tails", subgaussian: "subgaussian tails" };
  say("cost-words", first.cost.error
    ? first.cost.error
    : `Naive elimination, which needs nothing but the cone: ${whole(first.cost.each)} evaluations of each of ${whole(answer.designs)} designs guarantee the answer (${tails[first.cost.bound]}). Adaptive rules usually need fewer.`);
  show("card-second", answer.second !== null);
  if (answer.second) {
    say("second-label", `Compared: ${answer.second.cone}`);
    say("second-pareto", counted(answer.second.pareto, answer));
    const total = answer.second.cost.error ? "" : `, ${large(answer.second.cost.total)} evaluations`;
    say("second-more", `Pareto${byAverages({ ...start, study: null })}, beta ${Number(answer.second.beta.toFixed(4))}${total}`);
  }
}

export function drawWords(words) {
  byId("words").replaceChildren(...words.map((line) => element("li", line)));
}

// Until something has moved: what can be, and what the sign in the sentence means.
function beginning() {
  const fields = [...document.querySelectorAll(".sentence .rate")];
  if (!fields.length) return "With one objective there is nothing to trade.";
  return fields.some(({ value }) => value === "∞") ? "∞: no amount is enough. Change a number." : "Change a number, or move the slider.";
}

// Who came and went since the cone at which the control last rested.
export function drawMoved(moved, study = null) {
  if (study?.guess?.count) {
    const { count, names } = study.guess;
    say("moved", `By the averages alone, without a guarantee: ${names.join("; ")}${count > names.length ? ` and ${whole(count - names.length)} more` : ""}.`);
    return;
  }
  const parts = moved ? [["entered", moved.entered], ["left", moved.left]].filter(([, part]) => part.count) : [];
  if (!parts.length) {
    say("moved", moved ? "No design has entered or left." : beginning());
    return;
  }
  const line = ([word, part]) => {
    const more = part.count > part.names.length ? ` and ${whole(part.count - part.names.length)} more` : "";
    return `${whole(part.count)} ${word}: ${part.names.join("; ")}${more}.`;
  };
  byId("moved").replaceChildren(element("strong", "Last move"), ...parts.map((part) => element("span", line(part))));
}

const LEAST = 1e-12;

// What one design has ahead of another, in the user's own directions.
function ahead(start, differences) {
  const parts = differences.map((step, place) => [step, place]).filter(([step]) => Math.abs(step) > LEAST);
  return parts.map(([step, place]) => `${short(Math.abs(step))} ${step > 0 ? "more" : "less"} ${start.objectives[place]}`).join(", ");
}

// Until where the slider may go: an angle, or a least share of the weight.
function untilWords(chosen, { angles, shares }) {
  const place = (angles ?? shares)?.index.indexOf(chosen.index) ?? -1;
  if (place >= 0) {
    const end = angles ? angles.degrees[place] : shares.shares[place];
    if (angles) return end === null ? `beyond ${angles.to} degrees` : `${end.toFixed(2)} degrees`;
    return end === null ? "all weigh the same" : `each has ${end.toFixed(2)} % of the weight`;
  }
  const isShort = angles && angles.from !== null && chosen.values !== null && !chosen.misses.length;
  return isShort ? `less than ${angles.from} degrees` : null;
}

export function drawSelected(start, chosen, leaving, back, { onSelect, isKept, onKeep }) {
  const facts = [element("p", chosen.name, "chosen-name")];
  const list = element("dl");
  const add = (term, value) => list.append(element("dt", term), element("dd", value));
  if (chosen.values === null) add("Values", "not evaluated yet");
  else start.objectives.forEach((name, place) => add(name, withError(chosen.values[place], chosen.study, place)));
  const beaten = `beaten by ${whole(chosen.beaten_by)} design${chosen.beaten_by === 1 ? "" : "s"} that remain${chosen.beaten_by === 1 ? "s" : ""}`;
  if (!start.study) add("Now", chosen.values === null ? "not known" : nowWords(start, { stays: chosen.pareto, missed: missedWords(start, chosen), beaten }));
  if (chosen.study) for (const [term, words] of studyWords(chosen.study)) add(term, words);
  const until = untilWords(chosen, leaving);
  if (until !== null) add("Remains until", until);
  facts.push(list);
  if (chosen.rivals.length) {
    const by = element("ul", null, "rivals");
    by.append(...chosen.rivals.map((rival) => {
      const item = element("li");
      item.append(chooser(rival.name, rival.index, onSelect), element("span", `: ${ahead(start, rival.ahead)}`));
      return item;
    }));
    const more = chosen.beaten_by - chosen.rivals.length;
    if (more > 0) by.append(element("li", `and ${whole(more)} more`, "none"));
    facts.push(element("h3", start.study ? "Ahead on average, the clearest first" : "Better, the clearest first"), by);
  }
  facts.push(...wordsBack(back));
  if (chosen.values !== null) {
    const keep = element("button", isKept(chosen.index) ? "Take off the shortlist" : "Put on the shortlist");
    keep.type = "button";
    keep.id = "shortlist-toggle";
    keep.addEventListener("click", () => onKeep(chosen));
    facts.push(keep);
  }
  const focused = document.activeElement?.id === "shortlist-toggle";
  byId("selected").replaceChildren(...facts);
  if (focused) byId("shortlist-toggle")?.focus();
}

export function drawMoves(angles, degrees, onSelect) {
  const item = (k) => {
    const made = element("li");
    made.append(chooser(angles.names[k], angles.index[k], onSelect), element("span", ` ${angles.degrees[k].toFixed(2)}°`, "angle"));
    return made;
  };
  const finite = angles.degrees.map((end, k) => k).filter((k) => angles.degrees[k] !== null);
  const leaving = finite.filter((k) => angles.degrees[k] > degrees).slice(0, NEXT);
  const entering = finite.filter((k) => angles.degrees[k] <= degrees).slice(-NEXT).reverse();
  const known = angles.from !== null && degrees >= angles.from;
  const why = known || angles.nobody ? "none" : "too many to list";
  for (const [id, list] of [["leaving", leaving], ["entering", entering]]) {
    const items = known && list.length ? list.map(item) : [element("li", why, "none")];
    byId(id).replaceChildren(...items);
  }
  // Beyond the ends of the list the page must not look as if nothing happened there.
  say("angle-range", angles.nobody ? sentence(`${angles.nobody}.`) : angles.from === null ? "At every angle there are more Pareto designs than can be listed."
    : angles.from > 1 ? `Listed from ${angles.from} degrees on; narrower cones leave more designs than can be listed.` : "");
}

export function drawDifference(start, answer, onSelect) {
  show("difference", answer.difference !== null);
  if (!answer.difference) return;
  const { both, only_first: first, only_second: second } = answer.difference;
  say("both", `${whole(both)} design${both === 1 ? " is" : "s are"} Pareto under both${byAverages({ ...start, study: null })}.`);
  for (const [id, part, cone] of [["only-first", first, answer.first.cone], ["only-second", second, answer.second.cone]]) {
    say(`${id}-title`, `Only under ${cone}: ${whole(part.count)}`);
    const items = part.names.map((name, k) => {
      const made = element("li");
      made.append(chooser(name, part.index[k], onSelect));
      return made;
    });
    if (part.count > part.names.length) items.push(element("li", `and ${whole(part.count - part.names.length)} more`, "none"));
    byId(id).replaceChildren(...(items.length ? items : [element("li", "none", "none")]));
  }
}
