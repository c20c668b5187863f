// Tables, lists and sentences.

import { byId, element, large, say, short, show, whole } from "./dom.js";

const LISTED = 200;
const NEXT = 5;

function chooser(name, index, onSelect) {
  const button = element("button", name, "link");
  button.type = "button";
  button.dataset.index = index;
  button.addEventListener("click", () => onSelect(index));
  return button;
}

export function drawCards(answer) {
  const first = answer.first;
  say("pareto", whole(first.pareto));
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
    say("second-pareto", whole(answer.second.pareto));
    const total = answer.second.cost.error ? "" : `, ${large(answer.second.cost.total)} evaluations`;
    say("second-more", `Pareto, beta ${Number(answer.second.beta.toFixed(4))}${total}`);
  }
}

export function drawTable(start, first, selected, onSelect) {
  const { points, pareto } = first;
  const count = Math.min(points.index.length, LISTED);
  say("listed", pareto > count ? `The first ${whole(count)} of ${whole(pareto)}; the command above gives all.` : "");
  const head = ["Design", ...start.objectives].map((name) => {
    const cell = element("th", name);
    cell.scope = "col";
    return cell;
  });
  byId("table-head").replaceChildren(...head);
  const focused = document.activeElement?.closest?.("#table") ? document.activeElement.dataset.index : null;
  const rows = [];
  for (let k = 0; k < count; k += 1) {
    const row = element("tr");
    const name = element("td");
    name.append(chooser(points.names[k], points.index[k], onSelect));
    row.append(name, ...points.values.map((column) => element("td", short(column[k]), "value")));
    if (selected?.index === points.index[k]) row.className = "chosen";
    rows.push(row);
  }
  byId("table").replaceChildren(...rows);
  if (focused !== null) byId("table").querySelector(`button[data-index="${focused}"]`)?.focus();
}

export function drawWords(words) {
  byId("words").replaceChildren(...words.map((line) => element("li", line)));
}

export function drawSelected(start, chosen, angles) {
  const facts = [element("p", chosen.name, "chosen-name")];
  const list = element("dl");
  const add = (term, value) => list.append(element("dt", term), element("dd", value));
  if (chosen.values === null) add("Values", "not evaluated yet");
  else start.objectives.forEach((name, place) => add(name, short(chosen.values[place])));
  add("Now", chosen.pareto ? "Pareto: nothing beats it" : `beaten by ${whole(chosen.beaten_by)} Pareto design${chosen.beaten_by === 1 ? "" : "s"}`);
  if (chosen.rivals.length) {
    const more = chosen.beaten_by - chosen.rivals.length;
    add("By", chosen.rivals.join("; ") + (more > 0 ? ` and ${whole(more)} more` : ""));
  }
  const place = angles ? angles.index.indexOf(chosen.index) : -1;
  if (place >= 0) {
    const end = angles.degrees[place];
    add("Pareto until", end === null ? `beyond ${angles.to} degrees` : `${end.toFixed(2)} degrees`);
  } else if (angles && angles.names.length && chosen.values !== null) {
    add("Pareto until", `less than ${angles.from} degrees`);
  }
  facts.push(list);
  byId("selected").replaceChildren(...facts);
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
  for (const [id, list] of [["leaving", leaving], ["entering", entering]]) {
    byId(id).replaceChildren(...(list.length ? list.map(item) : [element("li", angles.names.length ? "none" : "too many to list", "none")]));
  }
}

export function drawDifference(answer, onSelect) {
  show("difference", answer.difference !== null);
  if (!answer.difference) return;
  const { both, only_first: first, only_second: second } = answer.difference;
  say("both", `${whole(both)} design${both === 1 ? " is" : "s are"} Pareto under both.`);
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

export function drawStanding(standing) {
  show("standing", standing !== null);
  if (standing === null) return;
  const certified = standing.certified_epsilon === null ? "none certified yet" : `${short(standing.certified_epsilon)} certified`;
  const rest = standing.finished ? "finished" : standing.remaining === null ? "going on" : `about ${whole(standing.remaining)} to do`;
  const flight = standing.in_flight ? `, ${whole(standing.in_flight)} in flight` : "";
  say("standing", `Live: ${whole(standing.evaluations)} evaluations told${flight}; ${rest}. Under the study's own cone ${standing.cone}: `
    + `${standing.pareto} Pareto, ${standing.eliminated} eliminated, ${standing.undecided} undecided; `
    + `epsilon ${certified}, ${short(standing.epsilon)} asked for. Below: the averages so far.`);
}
