// The end of the sentence at the head of the page: how many remain.

import { say } from "./dom.js";

// `count` as it is written; a study's averages are no answer yet.
export function drawRemain(count, live = false) {
  say("pareto", count);
  say("pareto-label", `${count === "1" ? "remains" : "remain"}${live ? ", by the averages so far" : ""}.`);
}
