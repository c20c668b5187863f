// The one preference of the page: a base, which every control can replace, and what was said besides, which is added to it.

import { cross, degreesOf, edgeOf, meaning, ofShares, ordered, planar, unit, widened } from "./geometry.js";

export const held = {
  dim: 2,
  steps: [1, 1],  // what 1 of each objective is worth in steps of which more is better: 1 / unit, with its sign
  base: { degrees: 90 },
  said: [],  // { accept: [given, amount, got, amount] }, { prefer: [values, values], names } or { undecided: ... }
  edges: null,  // of the whole cone, in the plane; null where only the server knows them
  views: null,  // what each control would say of the cone, from the last answer
};

// The way back to the preference as it is now.
export function undoing() {
  const { base, said } = held;
  return () => { Object.assign(held, { base, said }); settle(); };
}

export const asked = () => (held.said.length ? { ...held.base, said: held.said } : held.base);

const known = /^(?:planar:([0-9.]+)|orthant:2)$/;

// A text form that is an angle is one.
export function baseOf(text, dim) {
  const found = dim === 2 ? known.exec(text) : null;
  return found ? { degrees: found[1] === undefined ? 90 : Number(found[1]) } : { text };
}

// Whether an address holds a preference of this page: it may be cut, or of another table.
const numbers = (list, count) => Array.isArray(list) && list.length === count && list.every(Number.isFinite);

export function isBase(base, dim) {
  const { degrees, shares, ranking, text } = base ?? {};
  return (dim === 2 && Number.isFinite(degrees)) || numbers(shares, dim) || numbers(ranking, dim) || typeof text === "string";
}

export function isSaid(statement, dim) {
  const { accept, prefer, undecided, names = [] } = statement ?? {};
  if (accept) return numbers(accept, 4) && [accept[0], accept[2]].every((place) => Number.isInteger(place) && place >= 0 && place < dim);
  const pair = prefer ?? undecided;
  return Array.isArray(names) && Array.isArray(pair) && pair.length === 2 && pair.every((design) => numbers(design, dim));
}

// The directions of improvement that were said.
export function saidRays() {
  const turned = ([a, b]) => [held.steps[0] * a, held.steps[1] * b];
  return held.said.flatMap((statement) => {
    if (statement.accept) {
      const [given, much, got, more] = statement.accept;
      const ray = [0, 0];
      ray[given] = -much * Math.abs(held.steps[given]);
      ray[got] = more * Math.abs(held.steps[got]);
      return [ray];
    }
    if (statement.prefer) {
      const [better, worse] = statement.prefer.map(turned);
      return [[better[0] - worse[0], better[1] - worse[1]]];
    }
    return [];
  });
}

function baseEdges() {
  const { degrees, shares, ranking, text } = held.base;
  if (degrees !== undefined) return planar(degrees);
  if (shares !== undefined) return ofShares(shares);
  if (ranking !== undefined) return ranking[0] === 0 ? [[1, -1], [0, 1]].map(unit) : [[1, 0], [-1, 1]].map(unit);
  return text?.startsWith("rays:") ? ofText(text.slice(5)) : null;
}

function ofText(text) {
  try {
    const found = JSON.parse(text);
    const isPlane = found.length === 2 && found.flat().length === 4 && found.flat().every(Number.isFinite);
    return isPlane && Math.abs(cross(unit(found[0]), unit(found[1]))) > 1e-6 ? ordered(found) : null;
  } catch {
    return null;  // half typed
  }
}

// Where the page can know the cone, it need not wait for the server.
export function settle(rayPair = null) {
  if (held.dim !== 2) { held.edges = null; return; }
  if (rayPair) { held.edges = ordered(rayPair); return; }
  const base = baseEdges();
  held.edges = base && (held.said.length ? widened(base, saidRays()) : base);
}

// 1 / unit of every objective, with the sign of its direction.
export const inSteps = ({ objectives, minimised, units }) => objectives.map((name, d) => (minimised.includes(name) ? -1 : 1) / units[d]);

const NUMBER = 6;  // digits

// Two edges as the text form of a cone.
export function setEdges(edges) {
  const rounded = edges.map((ray) => ray.map((value) => Number(value.toPrecision(NUMBER)) + 0));
  const even = degreesOf(edges);
  if (even !== null) {
    held.base = { degrees: Number(even.toFixed(4)) };
  } else {
    held.base = { text: `rays:${JSON.stringify(rounded)}` };
  }
  settle();
}

// What the two edges say to people; null where no sentence of ours fits.
export function rates() {
  if (!held.edges) return null;
  const found = [meaning(held.edges[1], 1), meaning(held.edges[0], 0)];
  return found.includes(null) ? null : found;  // the first: a loss in x pays by y; the second: the other way round
}

// For a loss of 1 in objective `loss` at least `rate` of the other one is wanted.
export function setRate(loss, kind, rate) {
  const gain = 1 - loss;
  const edges = [...held.edges];
  edges[gain] = edgeOf(kind, rate, gain);
  setEdges(edges);
}

export const fits = (loss, kind, rate) => {
  const edges = [...held.edges];
  edges[1 - loss] = edgeOf(kind, rate, 1 - loss);
  return edges[0][0] * edges[1][1] - edges[0][1] * edges[1][0] > 1e-6;
};
