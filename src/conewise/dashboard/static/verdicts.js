// How verdicts are worded, by the live page and by a saved one. A study's averages are no answer yet, and each of them says so.

import { say, short, show, whole } from "./dom.js";

// Where a page shows a study's own preference, `study` has what the study says of each design: no average decides there.
const STATUS = { k: "kept", u: "undecided", c: "covered", b: "beaten", m: "misses a level" };

export const statusOf = ({ study }, index) => (study ? STATUS[study.letters[index]] : null);

export const byAverages = ({ live, study }) => (live && !study ? ", by the averages" : "");

const soFar = ({ live }) => (live ? ", by the averages so far" : "");

// How many designs have each status, as `conewise study status` says it.
function countWords({ covered, beaten, misses_a_level: missing, undecided }) {
  const short = missing ? `, ${whole(missing)} ${missing === 1 ? "misses" : "miss"} a level` : "";
  return `kept; ${whole(covered)} covered, ${whole(beaten)} beaten${short}, ${whole(undecided)} undecided`;
}

// Why nobody remains.
export const nobodyWords = (about, evaluated) => (evaluated ? `No design meets the levels${soFar(about)}.` : "No design has values yet.");

// The end of the sentence at the head of the page: how many remain; `count` as it is written.
export function drawRemain(about, count) {
  const { live, study, standing } = about;
  say("pareto", study ? whole(study.counts.kept) : count);
  say("pareto-label", study ? `${countWords(study.counts)}, as the study says${standing.not_guaranteed ? " without a guarantee" : ""}.`
    : `${count === "1" ? "remains" : "remain"}${soFar(about)}${live ? ": of this preference the study proves nothing" : ""}.`);
}

export function drawLegend(about, hasLevels) {
  const counts = about.study?.counts;
  say("legend-stays", counts ? `kept (${whole(counts.kept)})` : about.live ? `remains${soFar(about)}` : "remains: nothing beats it");
  say("legend-out", counts ? `beaten (${whole(counts.beaten)})` : `${hasLevels ? "beaten, or misses a level" : "beaten"}${soFar(about)}`);
  for (const status of ["undecided", "covered", "misses a level"]) {
    const [id, count] = [`legend-${status.split(" ")[0]}`, counts?.[status.replaceAll(" ", "_")] ?? 0];
    show(id, count > 0);
    say(`${id}-words`, `${status} (${whole(count)})`);
  }
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
    + `epsilon ${certified}, ${short(standing.epsilon)} asked for. ${standing.not_guaranteed ? `Not guaranteed: ${standing.not_guaranteed}. ` : ""}${standing.unused}`.trimEnd();
}
