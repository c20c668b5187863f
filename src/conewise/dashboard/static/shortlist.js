// Designs that one keeps in mind: in the picture, side by side, and as a file.

import { Refusal, ask } from "./api.js";
import { byId, download, element, say, short, show } from "./dom.js";
import { savePicture } from "./files.js";
import { levelsAsked } from "./levels.js";
import { asked } from "./preference.js";
import { byAverages } from "./verdicts.js";

export const kept = [];  // { index, name, values }

let start = null;
let changed = null;

export function setUpShortlist(given, onChange, picture) {
  [start, changed] = [given, onChange];
  for (const kind of ["png", "svg"]) byId(`shortlist-${kind}`).addEventListener("click", () => savePicture(picture(), kind, "shortlist"));
  byId("save-csv").addEventListener("click", async () => {
    try {
      const { csv } = await ask("shortlist", { first: asked(), ...levelsAsked(), index: kept.map(({ index }) => index) });
      download(new Blob([csv], { type: "text/csv" }), "shortlist.csv");
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say("saved", error.message);
    }
  });
}

export const isKept = (index) => kept.some((design) => design.index === index);

export function toggle(design) {
  const place = kept.findIndex(({ index }) => index === design.index);
  if (place >= 0) kept.splice(place, 1);
  else kept.push(design);
  changed();
}

export function drawShortlist(onSelect, remains) {
  byId("shortlist").replaceChildren(...kept.map((design) => {
    const made = element("li");
    const name = element("button", design.name, "link");
    const away = element("button", "×", "away");
    for (const button of [name, away]) button.type = "button";
    name.addEventListener("click", () => onSelect(design.index));
    away.setAttribute("aria-label", `Remove ${design.name} from the shortlist`);
    away.addEventListener("click", () => toggle(design));
    made.append(name, away);
    return made;
  }));
  show("shortlist-tools", kept.length > 0);
  show("shortlist-hint", kept.length === 0);
  drawCompared(remains);
}

// Objectives down, designs across; the best of each in bold.
function drawCompared(remains) {
  const head = element("tr");
  head.append(element("th", ""), ...kept.map(({ name }) => { const cell = element("th", name); cell.scope = "col"; return cell; }));
  const rows = start.objectives.map((name, place) => {
    const values = kept.map((design) => design.values?.[place] ?? NaN);
    const turned = start.minimised.includes(name);
    const best = turned ? Math.min(...values) : Math.max(...values);
    const row = element("tr");
    const title = element("th", name);
    title.scope = "row";
    row.append(title, ...values.map((value) => element("td", Number.isNaN(value) ? "–" : short(value), kept.length > 1 && value === best ? "value best" : "value")));
    return row;
  });
  const last = element("tr");
  const title = element("th", `Now${byAverages(start)}`);
  title.scope = "row";
  last.append(title, ...kept.map(({ index }) => element("td", remains(index) || "–", "value")));
  const [top, body] = [element("thead"), element("tbody")];
  top.append(head);
  body.append(...rows, last);
  byId("compared").replaceChildren(top, body);
}
