// What is looked at: names with a text in them, and stretches of axes. The list shows it alone, and pictures fade the rest.

import { wanted } from "./table.js";

const text = () => wanted.text.trim().toLowerCase();

export const isBrushing = () => text() !== "" || Object.keys(wanted.between).length > 0;

export const matches = (name) => name.toLowerCase().includes(text());

export const brushes = () => new Map(Object.entries(wanted.between).map(([place, range]) => [Number(place), range]));

const found = new WeakMap();  // by the list of names, so that a move of a control does not look again

// 1 for every design that lies outside; null where all are looked at.
export function faded({ names, values }) {
  if (!isBrushing()) return null;
  const about = JSON.stringify([text(), wanted.between]);
  const before = found.get(names);
  if (before?.about === about) return before.outside;
  const ranges = [...brushes()];
  const outside = Uint8Array.from(names, (name, k) => (matches(name)
    && ranges.every(([place, [low, high]]) => values[place][k] >= low && values[place][k] <= high) ? 0 : 1));
  found.set(names, { about, outside });
  return outside;
}
