// The table of designs: its names select, its heads sort, and it can be filtered; on paper it has a first part only.

import { byId, element, say, visit, walk, whole } from "./dom.js";
import { data, lines, names, statusOf } from "./designs.js";

const PRINTED = 200;  // rows on paper

const body = document.querySelector("#answer tbody");
const buttons = lines.map((line, k) => {
  const button = element("button", names[k], "link");
  button.type = "button";
  button.dataset.index = k;
  line.cells[0].replaceChildren(button);
  return button;
});
const place = new Map(lines.map((line, k) => [line, k]));

export function setUpRows(select) {
  body.addEventListener("click", (event) => {
    const line = event.target.closest("tr");
    if (line) select(place.get(line), event.target.closest("button") !== null);
  });
  body.addEventListener("keydown", (event) => walk(event, [...body.querySelectorAll("tr:not([hidden]) button")]));
  for (const button of document.querySelectorAll("#answer thead button")) button.addEventListener("click", () => sortBy(button));
  byId("filter").addEventListener("input", filter);
  byId("status").addEventListener("change", filter);
  window.addEventListener("beforeprint", ready);
  window.matchMedia("print").addEventListener("change", ready);
  filter();
}

export function markRow(k) {
  for (const line of body.querySelectorAll("tr.chosen")) line.classList.remove("chosen");
  for (const button of body.querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
  lines[k].classList.add("chosen");
  buttons[k].setAttribute("aria-current", "true");
  visit(buttons, buttons[k]);
}

function sortBy(button) {
  const head = button.closest("th");
  const down = head.ariaSort === "ascending";
  const numeric = head.dataset.kind === "number";
  for (const other of head.parentNode.cells) other.ariaSort = null;
  head.ariaSort = down ? "descending" : "ascending";
  const value = (line) => { const text = line.cells[head.cellIndex].textContent.trim(); return numeric ? Number(text === "–" ? NaN : text.replaceAll(",", "")) : text; };
  const keys = new Map(lines.map((line) => [line, value(line)]));
  const order = (a, b) => {
    const [one, two] = [keys.get(a), keys.get(b)];
    if (!numeric) return (down ? -1 : 1) * one.localeCompare(two, "en", { numeric: true });
    if (Number.isNaN(one) || Number.isNaN(two)) return Number.isNaN(one) - Number.isNaN(two);
    return down ? two - one : one - two;
  };
  body.replaceChildren(...[...lines].sort(order));
}

function filter() {
  const text = byId("filter").value.trim().toLowerCase();
  const wanted = byId("status").value;
  const { returned, certain } = data.rows;
  let shown = 0;
  lines.forEach((line, k) => {
    const fits = !wanted || statusOf(k) === wanted || (wanted === "returned" && returned[k]) || (wanted === "certain" && certain[k]);
    line.hidden = !(fits && names[k].toLowerCase().includes(text));
    shown += !line.hidden;
  });
  const stop = buttons.find((button) => button.tabIndex === 0 && !button.closest("tr").hidden);
  visit(buttons, stop ?? body.querySelector("tr:not([hidden]) button"));
  say("shown", `${whole(shown)} of ${whole(lines.length)} rows shown`);
}

function ready() {
  let shown = 0;
  for (const line of body.rows) line.classList.toggle("unprinted", !line.hidden && (shown += 1) > PRINTED);
  say("printed", shown > PRINTED ? `The first ${PRINTED} rows; ${whole(shown - PRINTED)} more are in the file.` : "");
}
