// What else one can fill in or copy: noise and goal, the cone as text, the command.

import { byId, say, show } from "./dom.js";
import { numberIn, setUpTyping } from "./numbers.js";

const ASSUMED = ["sigma", "epsilon", "delta"];

export function setUpForm(start, changed) {
  show("command-block", start.command !== null);
  for (const id of ASSUMED) {
    byId(id).value = start[id] ?? "";
    setUpTyping(byId(id), "refusal-assumed", id, changed);
  }
  if (start.sigma === null) {
    byId("sigma").disabled = true;
    say("noise", `The study's own noise: ${start.noise}.`);
    show("noise", true);
  }
  show("report-block", start.report !== null);
  setUpCopying("copy-report", "report-command", "copied-report");
  setUpCopying("copy", "export", "copied");
  setUpCopying("copy-command", "command", "copied");
}

export function assumptions() {
  const given = {};
  for (const id of ASSUMED) {
    const field = byId(id);
    if (!field.disabled && field.value.trim() !== "") given[id] = Number.isNaN(numberIn(field.value)) ? field.value : numberIn(field.value);  // which is refused there too
  }
  return given;
}

export function setUpCopying(buttonId, fieldId, wordId) {
  byId(buttonId).addEventListener("click", async () => {
    byId(fieldId).select();
    try {
      await navigator.clipboard.writeText(byId(fieldId).value);
      say(wordId, "Copied.");
    } catch {
      say(wordId, "Selected: press Ctrl+C to copy.");
    }
  });
}
