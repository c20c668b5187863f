// The list of designs: a page of it, as the server sorts and filters it.

import { byId, chooser, element, say, short, show, visit, walk, whole } from "./dom.js";
import { byAverages } from "./verdicts.js";

const PAUSE = 150;  // milliseconds without a key, before a text is searched

export const wanted = { everyone: false, text: "", column: null, descending: false, offset: 0, between: {} };

let rows = 0;  // of a page
let remaining = "Pareto designs";
let verdict = "Pareto";  // the head of the last column

// The head is made once, so that the focus stays on its buttons; only the arrows move.
export function setUpTable(start, changed, onPoint) {
  let waiting = 0;
  const turn = (changes) => { Object.assign(wanted, { offset: 0 }, changes); changed(); };
  const likely = start.probability ? [["probability", "Probably Pareto"]] : [];
  if (start.live) [remaining, verdict] = ["designs that are Pareto by the averages", `Pareto${byAverages({ ...start, study: null })}`];
  const columns = [["name", "Design"], ...start.objectives.map((name, place) => [place, name]), ...likely, ["pareto", verdict]];
  byId("table-head").replaceChildren(...columns.map(([column, name]) => {
    const cell = element("th");
    const button = element("button", name);
    cell.scope = "col";
    cell.dataset.column = column;
    button.type = "button";
    button.addEventListener("click", () => turn(next(column)));
    cell.append(button);
    return cell;
  }));
  byId("filter").addEventListener("input", () => {
    clearTimeout(waiting);
    Object.assign(wanted, { offset: 0, text: byId("filter").value });  // at once: a brush or a move may come before the pause is over
    waiting = setTimeout(changed, PAUSE);
  });
  byId("everyone").addEventListener("change", () => turn({ everyone: byId("everyone").value === "all" }));
  byId("table").addEventListener("keydown", (event) => walk(event, [...byId("table").querySelectorAll("button")]));
  // Whoever is pointed at in the list is pointed at in the picture.
  const here = (event) => { const name = event.target.closest("tr")?.querySelector("button"); if (name) onPoint(Number(name.dataset.index)); };
  for (const kind of ["pointerover", "focusin"]) byId("table").addEventListener(kind, here);
  for (const kind of ["pointerleave", "focusout"]) byId("table").addEventListener(kind, () => onPoint(null));
  byId("earlier").addEventListener("click", () => { wanted.offset = Math.max(0, wanted.offset - rows); changed(); });
  byId("later").addEventListener("click", () => { wanted.offset += rows; changed(); });
}

// A column once: upwards; twice: downwards; three times: as the source has it.
function next(column) {
  if (wanted.column !== column) return { column, descending: false };
  return wanted.descending ? { column: null, descending: false } : { descending: true };
}

// The other way round; null where nobody is.
export function markRow(index) {
  for (const row of byId("table").rows) row.classList.toggle("pointed", index !== null && row.dataset.index === String(index));
}

export function drawTable(table, selected, onSelect) {
  wanted.offset = table.offset;
  rows = table.page;
  for (const cell of byId("table-head").children) {
    const here = cell.dataset.column === String(table.column);
    cell.ariaSort = here ? (table.descending ? "descending" : "ascending") : "none";
    if (cell.dataset.column !== "pareto") continue;
    cell.hidden = !table.everyone && !table.status;
    cell.firstChild.textContent = table.status ? "Status" : verdict;
  }
  const focused = document.activeElement?.closest?.("#table") ? document.activeElement.dataset.index : null;
  byId("table").replaceChildren(...table.names.map((_, k) => line(table, k, selected, onSelect)));
  const names = [...byId("table").querySelectorAll("button")];
  const same = names.find((button) => button.dataset.index === focused);
  visit(names, same ?? names.find((button) => button.closest("tr.chosen")) ?? names[0]);
  same?.focus();
  drawPlace(table);
}

// What a study's model says of a design, under the study's own cone.
export const likelihood = (probability, measured) => `${probability.toFixed(3)} ${measured ? "measured" : "predicted"}`;

function line(table, k, selected, onSelect) {
  const row = element("tr");
  row.dataset.index = table.index[k];
  const name = element("td");
  name.append(chooser(table.names[k], table.index[k], onSelect));
  row.append(name, ...table.values.map((column) => element("td", short(column[k]), "value")));
  if (table.probability) row.append(element("td", likelihood(table.probability[k], table.values[0][k] !== null), "value"));
  if (table.status) row.append(element("td", table.status[k], "value"));
  else if (table.everyone) row.append(element("td", table.pareto[k] ? "yes" : table.misses[k] ? "misses a level" : "no", "value"));
  // All of the row is marked under the pointer, and all of it selects; the keyboard has the name.
  row.addEventListener("click", (event) => { if (!event.target.closest("button")) onSelect(table.index[k]); });
  if (selected?.index === table.index[k]) row.classList.add("chosen");
  return row;
}

function drawPlace(table) {
  const last = table.offset + table.names.length;
  const kind = table.everyone ? "designs" : table.status ? "designs that are kept or undecided" : remaining;
  const matching = table.matching < table.listed ? ` that match, of ${whole(table.listed)} ${kind}` : ` ${kind}`;
  const total = table.matching;
  say("listed", total ? `${whole(table.offset + 1)} to ${whole(last)} of ${whole(total)}${matching}.`
    : table.listed ? `None of ${whole(table.listed)} ${kind} matches.` : `There are no ${kind}.`);
  show("pager", total > table.names.length);
  // The focus must not fall off a button that has had its day.
  const [earlier, later] = [byId("earlier"), byId("later")];
  const atStart = table.offset === 0;
  const atEnd = last >= total;
  if (atStart && document.activeElement === earlier) { later.disabled = false; later.focus(); }
  if (atEnd && document.activeElement === later) { earlier.disabled = false; earlier.focus(); }
  earlier.disabled = atStart;
  later.disabled = atEnd;
}
