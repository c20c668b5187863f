// One design: where it stands, its values, and those that settle or threaten it.

import { byId, chooser, element, short, traded } from "./dom.js";
import { along, cellOf, confidence, data, isKnown, isOut, lines, names, objectives, valuesOf } from "./designs.js";

const MOST = 30;  // objectives listed
const LONGEST = 4;  // objectives of a comparison in words

export function drawDetail(k, select) {
  const facts = element("dl");
  const fact = (term, value) => { if (value) facts.append(element("dt", term), element("dd", value)); };
  const standing = lines[k].cells[1].textContent;
  const why = lines[k].cells[2].textContent;
  const error = (d) => { const found = data.rows.errors?.[d][k] ?? null; return found === null ? "" : `, standard error ${short(found)}`; };
  objectives.slice(0, MOST).forEach((name, d) => fact(name, `${short(valuesOf(k)[d])}${error(d)}`));
  if (objectives.length > MOST) fact("and", `${objectives.length - MOST} more objectives`);
  if (!data.known) fact("evaluations", cellOf(k, 2));
  if (data.model) { fact("probably Pareto", cellOf(k, 4)); fact("evidence", cellOf(k, 3)); }
  fact("confidence", confidence(k, 6));
  const parts = [element("h2", names[k]), element("p", `${standing.replace(/^./, (letter) => letter.toUpperCase())}${why ? `: ${why}` : ""}.`, "stands"), facts];
  const rivals = data.rows.rivals[k];
  if (rivals.length) parts.push(element("h3", isOut(k) ? "Who puts it out" : "Against whom it is closest"), list(k, rivals, select));
  byId("detail").replaceChildren(...parts);
}

function list(k, rivals, select) {
  const made = element("ul", null, "rivals");
  made.append(...rivals.map(([who, relation, epsilon, facets, gains, radii]) => {
    const item = element("li");
    const known = typeof who === "number";
    item.append(known ? chooser(names[who], who, select) : element("strong", who));
    const from = epsilon ? `, settled from epsilon ${short(epsilon)} on` : "";
    item.append(element("span", `: ${data.relations[relation]}${from}`));
    if (known && isKnown(k) && objectives.length <= LONGEST) item.append(element("small", `${traded(objectives, valuesOf(k), valuesOf(who)) || "equal in everything"}`));
    if (radii) item.append(element("small", `ahead by ${facets.map((n, i) => along(n, gains[i], radii[i])).join(", ")}`));
    return item;
  }));
  return made;
}
