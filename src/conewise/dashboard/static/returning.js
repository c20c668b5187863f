// At which exchange a design that is out would come back.

import { above, atLeast } from "./amounts.js";
import { element, short } from "./dom.js";
import { edgeOf, widened } from "./geometry.js";
import { held, saidRays, setRate } from "./preference.js";

// In the plane, the exchanges that together bring a design back: { loss, gain, amount }, for a step of `loss` at least
// `amount` of `gain`, in the user's own units. null where no price does.
function exchangesBack({ units }, plane, place) {
  const reached = plane.ratesReached(place, held.edges);
  return reached && [0, 1].filter((loss) => reached[loss] > 0)
    .map((loss) => ({ loss, gain: 1 - loss, amount: above(reached[loss] * units[1 - loss]) }));
}

const rateOf = ({ units }, { gain, amount }) => amount / units[gain];  // in steps

// Whether something that was said asks for less.
function isContrary(start, exchanges) {
  const edges = [...held.edges];
  for (const exchange of exchanges) edges[exchange.gain] = edgeOf("pays", rateOf(start, exchange), exchange.gain);
  const whole = widened(edges, saidRays());
  return whole === null || String(whole) !== String(edges);
}

const turned = (start, place) => start.minimised.includes(start.objectives[place]);
const better = (start, place) => `${turned(start, place) ? "less" : "more"} ${start.objectives[place]}`;
const worse = (start, place) => `${turned(start, place) ? "more" : "less"} ${start.objectives[place]}`;

export const NEVER = "at no price: another design is at least as good in every objective";

// The smallest change of all: { factor, exchanges: [loss, gain, before, after] } for 1 of the loss, and the sentences that it takes back.
export function changeWords(start, { factor, exchanges }, gone = []) {
  const each = exchanges.map(([loss, gain, before, after]) => `${short(start.units[loss])} ${worse(start, loss)} then wants ${short(above(after * start.units[loss]))} ${better(start, gain)}, not ${short(atLeast(before * start.units[loss]))}`);
  const back = gone.length ? `; it takes back: ${gone.join("; ")}` : "";
  return `if exchanges asked for up to ${short(above(factor))} times as much, the smallest change that does it${each.length ? `: ${each.join("; ")}` : ""}${back}`;
}

// In words, and to be used by a click.
export function waysBack({ start, selected, plane, points, answer }, changed) {
  if (!selected.beaten_by) return [];
  const words = ({ loss, gain, amount }) => `at ${short(amount)} ${better(start, gain)} for ${short(start.units[loss])} ${worse(start, loss)}`;
  if (plane && held.edges) {
    const exchanges = exchangesBack(start, plane, points.place.get(selected.index));
    if (!exchanges) return [{ words: NEVER }];
    const all = exchanges.map(words).join(" and ");
    if (isContrary(start, exchanges)) return [{ words: `${all}, if you took back what you said to the contrary` }];
    const use = () => {
      for (const exchange of exchanges) setRate(exchange.loss, "pays", rateOf(start, exchange));
      changed();
    };
    return [{ words: all, use }];
  }
  return selected.returning.map((way) => {
    const { factor, shares, loss, gain, amount } = way;
    if (way.never) return { words: NEVER };
    if (factor) {
      const gone = (answer?.first.said ?? []).filter((_, place) => !way.kept.includes(place));
      return { words: changeWords(start, way, gone), use: () => {
        held.base = { text: way.text };
        held.said = held.said.filter((_, place) => way.kept.includes(place));
        changed();
      } };
    }
    if (shares) {
      const least = shares.map((share, place) => `${short(share)} % ${start.objectives[place]}`).join(", ");
      return { words: `with least shares of ${least}`, use: () => { held.base = { shares }; changed(); } };
    }
    const exchange = { loss, gain, amount: above(amount * start.units[loss]) };
    const isIt = ({ accept }) => accept?.[0] === loss && accept[2] === gain;
    return { words: words(exchange), use: () => {
      held.said = held.said.map((said) => (isIt(said) ? { accept: [loss, start.units[loss], gain, exchange.amount] } : said));
      changed();
    } };
  });
}

// The same as a part of the page.
export function wordsBack(ways) {
  if (!ways.length) return [];
  const list = element("ul", null, "rivals back");
  list.append(...ways.map(({ words, use }) => {
    const item = element("li");
    const made = element(use ? "button" : "span", words, use ? "link" : "");
    if (use) { made.type = "button"; made.addEventListener("click", use); }
    item.append(made);
    return item;
  }));
  return [element("h3", "It would return"), list];
}
