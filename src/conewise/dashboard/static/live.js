// A study that goes on: where it stands, how well its averages are known, and what it would evaluate next.

import { ask } from "./api.js";
import { byId, chooser, element, say, short, show, whole } from "./dom.js";
import { setUpCopying } from "./form.js";
import { likelihood } from "./table.js";

let known = {};  // by design: what the study knows of it

export function setUpLive(start) {
  show("upcoming", start.live);
  if (!start.live) return;
  setUpCopying("copy-ask", "ask", "copied-ask");
  say("legend-stays", "remains, by the averages so far");
  say("legend-out", "beaten, by the averages so far");
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

// For the selected design: rows of a term and its words.
export function studyWords({ status, probability, evidence, evaluations }) {
  const chance = probability === null ? "" : `; probably Pareto ${probability.toFixed(3)}, ${evidence}`;
  return [["The study says", `${status}${chance}`], ["Evaluations", whole(evaluations)]];
}

export function drawStanding(standing) {
  show("standing", standing !== null);
  if (standing === null) return;
  const certified = standing.certified_epsilon === null ? "none certified yet" : `${short(standing.certified_epsilon)} certified`;
  const rest = standing.finished ? "finished" : standing.remaining === null ? "going on" : `${standing.at_least ? "at least" : "about"} ${whole(standing.remaining)} to do`;
  const flight = standing.in_flight ? `, ${whole(standing.in_flight)} in flight` : "";
  say("standing", `Live: ${whole(standing.evaluations)} evaluations told${flight}; ${rest}. Under the study's own cone ${standing.cone}: `
    + `${standing.kept} kept, ${standing.covered} covered, ${standing.beaten} beaten, `
    + `${standing.misses_a_level ? `${standing.misses_a_level} missing a level, ` : ""}${standing.undecided} undecided; `
    + `epsilon ${certified}, ${short(standing.epsilon)} asked for. ${standing.unused ? `${standing.unused} ` : ""}Below: the averages so far.`);
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
