// A study that goes on: where it stands, how well its averages are known, and what it would evaluate next.

import { ask } from "./api.js";
import { byId, chooser, element, say, short, show, whole } from "./dom.js";
import { setUpCopying } from "./form.js";
import { likelihood } from "./table.js";
import { standingWords } from "./verdicts.js";

let known = {};  // by design: what the study knows of it

export function setUpLive(start) {
  show("upcoming", start.live);
  if (!start.live) return;
  setUpCopying("copy-ask", "ask", "copied-ask");
}

export async function loadConfidence(start) {
  known = start.live ? (await ask("confidence")).designs : {};
}

// For the label beside the pointer: how sure, and what the study itself says.
export function confidenceOf(index) {
  const about = known[index];
  if (!about) return [];
  const errors = about.errors.filter((error) => error !== null).map(short);
  const sure = errors.length ? `standard error${errors.length > 1 ? "s" : ""} ${errors.join(", ")}` : "too few evaluations for a standard error";
  const chance = about.probability === null ? [] : [`probably Pareto ${likelihood(about.probability, about.evidence === "measured")}`];
  return [sure, `the study says: ${about.status}`, ...chance];
}

export function drawStanding(standing) {
  show("standing", standing !== null);
  if (standing === null) return;
  say("standing", `Live: ${standingWords(standing)}`);
}

export async function drawUpcoming(onSelect) {
  const found = await ask("upcoming");
  byId("next").replaceChildren(...found.designs.map(({ index, name, times }) => {
    const made = element("li");
    made.append(chooser(name, index, onSelect), element("span", ` ${whole(times)} time${times === 1 ? "" : "s"}`, "angle"));
    return made;
  }));
  if (found.more) byId("next").append(element("li", `and ${whole(found.more)} more designs`, "none"));
  say("next-words", found.total ? `The ${whole(found.total)} evaluations that are worth most now, for the study's own question:` : "Nothing is left to evaluate: the study is finished.");
  show("asking", found.total > 0);
  byId("ask").value = found.command;
}
