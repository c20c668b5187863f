// Two designs, and which of them one would rather have; and all that was said so far, each of which can be taken back.

import { Refusal, ask } from "./api.js";
import { byId, element, say, short, show } from "./dom.js";
import { levelsAsked } from "./levels.js";
import { asked, held } from "./preference.js";

let start = null;
let changed = null;
let latest = 0;

export function setUpDuels(given, onChange) {
  [start, changed] = [given, onChange];
  show("duel", start.objectives.length > 1 && start.designs > 1);
}

// When the control rests.
export async function drawDuel() {
  if (byId("duel").hidden) return;
  latest += 1;
  const mine = latest;
  let found;
  try {
    found = await ask("duel", { first: asked(), ...levelsAsked() });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (mine === latest) write(error.message, null);
    return;
  }
  if (mine === latest) write(found.pair ? "" : "No choice between two designs would change what remains.", found.pair);
}

function write(words, pair) {
  say("duel-words", words);
  const focused = document.activeElement?.closest?.("#duel-pair") !== null;
  byId("duel-pair").replaceChildren(...(pair ? [card(pair[0], pair[1]), card(pair[1], pair[0]), unsure(pair)] : []));
  if (focused) byId("duel-pair").querySelector("button")?.focus();
}

function card(design, other) {
  const made = element("button", null, "design");
  made.type = "button";
  made.append(element("strong", design.name), ...start.objectives.map((name, place) => element("span", `${short(design.values[place])} ${name}`)));
  made.addEventListener("click", (event) => add(event, { prefer: [design.values, other.values], names: [design.name, other.name] }));
  return made;
}

function unsure([one, other]) {
  const made = element("button", "I cannot say", "link");
  made.type = "button";
  made.addEventListener("click", (event) => add(event, { undecided: [one.values, other.values], names: [one.name, other.name] }));
  return made;
}

const pairOf = ({ prefer, undecided }) => JSON.stringify((prefer ?? undecided ?? []).map(String).sort());

// The second click of a double click is no choice, whether it meets the pair that was just answered or the next one.
function add({ detail }, statement) {
  if (detail > 1 || held.said.some((other) => pairOf(other) === pairOf(statement))) return;
  held.said = [...held.said, statement];
  changed();
}

// In the words of the server, or of the names alone while it has not answered.
export function drawSaid(words) {
  const items = held.said.map((statement, k) => {
    const made = element("li", null);
    const text = words[k] ?? (statement.names ?? []).join(" rather than ");
    const back = element("button", "take back", "link");
    back.type = "button";
    back.setAttribute("aria-label", `Take back: ${text}`);
    back.addEventListener("click", () => { held.said = held.said.filter((other) => other !== statement); changed(); });
    made.append(element("span", text), back);
    return made;
  });
  byId("said").replaceChildren(...items);
}
