// How verdicts are worded, by the live page and by a saved one. A study's averages are no answer yet, and each of them says so.

import { say, short, show, whole } from "./dom.js";

export const byAverages = ({ live }) => (live ? ", by the averages" : "");

const soFar = ({ live }) => (live ? ", by the averages so far" : "");

// Why nobody remains.
export const nobodyWords = (about, evaluated) => (evaluated ? `No design meets the levels${soFar(about)}.` : "No design has values yet.");

// The end of the sentence at the head of the page: how many remain; `count` as it is written.
export function drawRemain(about, count) {
  say("pareto", count);
  say("pareto-label", `${count === "1" ? "remains" : "remain"}${soFar(about)}.`);
}

export function drawLegend(about, hasLevels) {
  say("legend-stays", about.live ? `remains${soFar(about)}` : "remains: nothing beats it");
  say("legend-out", `${hasLevels ? "beaten, or misses a level" : "beaten"}${soFar(about)}`);
  show("legend-level", hasLevels);
}

// Where the selected design stands: `missed` says which levels it misses, `beaten` by whom it is beaten.
export function nowWords(about, { stays, missed, beaten }) {
  if (missed) return `misses a level${byAverages(about)}: ${missed}`;
  if (stays) return about.live ? `remains${byAverages(about)}` : "remains: nothing beats it";
  return `${beaten}${byAverages(about)}`;
}

// -- what the study itself knows and has proved -------------------------------------------------------------------------

export function withError(value, study, place) {
  const error = study?.errors[place] ?? null;
  return error === null ? short(value) : `${short(value)}, standard error ${short(Number(error.toPrecision(2)))}`;
}

// For the selected design: rows of a term and its words.
export function studyWords({ status, probability, evidence, evaluations }) {
  const chance = probability === null ? "" : `; probably Pareto ${probability.toFixed(3)}, ${evidence}`;
  return [["The study says", `${status}${chance}`], ["Evaluations", whole(evaluations)]];
}

// With a model the promise is another one than for every truth.
function overPrior({ by_prior: byPrior, every_truth: everyTruth }) {
  if (!byPrior) return "";
  return ` on average over the prior${everyTruth === null ? "" : ` (for every truth ${short(everyTruth)})`}`;
}

export function standingWords(standing) {
  const certified = standing.certified_epsilon === null ? "none certified yet" : `${short(standing.certified_epsilon)} certified${overPrior(standing)}`;
  const rest = standing.finished ? "finished" : standing.remaining === null ? "going on" : `${standing.at_least ? "at least" : "about"} ${whole(standing.remaining)} to do`;
  const flight = standing.in_flight ? `, ${whole(standing.in_flight)} in flight` : "";
  return `${whole(standing.evaluations)} evaluations told${flight}; ${rest}. Under the study's own cone ${standing.cone}: `
    + `${standing.kept} kept, ${standing.covered} covered, ${standing.beaten} beaten, `
    + `${standing.misses_a_level ? `${standing.misses_a_level} missing a level, ` : ""}${standing.undecided} undecided; `
    + `epsilon ${certified}, ${short(standing.epsilon)} asked for. ${standing.not_guaranteed ? `Not guaranteed: ${standing.not_guaranteed}. ` : ""}${standing.unused ? `${standing.unused} ` : ""}Below: the averages so far.`;
}
