// Pictures. Plotly reads a little markup in texts, so names are escaped before they reach it.

import { byId, short, spread } from "./dom.js";

const SYMBOLS = { first: "circle", second: "diamond" };
const CONFIG = { ...ConewisePlots.SETTINGS, displayModeBar: false, doubleClick: false };
const LINES = { quiet: 300, front: 400 };  // of parallel coordinates; more cannot be followed
const LONGEST_LABEL = 22;
const BESIDE = 70;  // pixels of a picture beside its axes
const EDGE = 0.06;  // of the range, around the outermost points
// On a touch screen a drag over a picture scrolls the page.
const DRAG = window.matchMedia("(pointer: coarse)").matches ? false : "zoom";

const escaped = ConewisePlots.plain;

// Colours are the style sheet's, so that pictures follow the theme.
function colours() {
  const style = getComputedStyle(document.documentElement);
  const named = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: named("ink"), soft: named("soft"), paper: named("paper"), quiet: named("quiet"), grid: named("grid"), axis: named("axis"),
    first: named("blue"), second: named("orange"),
  };
}

const better = (start, objective) => (start.minimised.includes(start.objectives[objective]) ? "smaller is better" : "larger is better");

function axis(start, objective, paint, pixels) {
  return {
    title: { text: ConewisePlots.fitted(start.objectives[objective], `, ${better(start, objective)}`, pixels), font: { size: 12 }, standoff: 8 },
    gridcolor: paint.grid, zeroline: false, linecolor: paint.axis, showline: true, ticks: "outside", tickcolor: paint.axis,
    automargin: true, range: extent(start.ranges[objective]),
  };
}

// The same for every answer about the same designs, whoever is Pareto, so that two pictures can be compared.
function extent([low, high] = [0, 1]) {
  const margin = EDGE * (high - low) || Math.abs(low) || 1;
  return [low - margin, high + margin];
}

const ground = (paint, size) => ({
  paper_bgcolor: paint.paper, plot_bgcolor: paint.paper, font: { family: "system-ui, sans-serif", color: paint.ink, size },
  hoverlabel: { bgcolor: paint.paper, bordercolor: paint.axis, font: { color: paint.ink } }, showlegend: false,
});

function trace(points, axes, extra) {
  const values = (objective) => points.values[objective] ?? [];
  return {
    type: "scatter", mode: "markers", x: values(axes[0]), y: axes[1] === null ? values(axes[0]).map(() => 0) : values(axes[1]),
    text: points.names.map(escaped), customdata: points.index, hovertemplate: "%{text}<extra></extra>", ...extra,
  };
}

// A picture takes the room it is given, also when a second one comes beside it; a hidden one has none.
function follow(target) {
  new ResizeObserver(() => { if (target.clientWidth) window.Plotly.Plots.resize(target); }).observe(target);
}

function put(target, traces, layout, onSelect) {
  const known = target.dataset.drawn === "yes";
  window.Plotly.react(target, traces, layout, CONFIG);
  if (known) return;
  target.dataset.drawn = "yes";
  follow(target);
  if (onSelect) ConewisePlots.follow(target, onSelect);
}

const alone = (chosen) => ({ index: [chosen.index], names: [chosen.name], values: chosen.values.map((value) => [value]) });

// Two objectives against each other.
export function drawFront(side, start, points, axes, selected, onSelect) {
  const paint = colours();
  const traces = [
    trace(start.drawn, axes, { marker: { color: paint.quiet, size: 5, line: { width: 0 } }, name: "all designs" }),
    trace(points, axes, { marker: { color: paint[side], symbol: SYMBOLS[side], size: 9, line: { color: paint.paper, width: 1 } }, name: "Pareto" }),
  ];
  if (selected?.values) {
    traces.push(trace(alone(selected), axes, { marker: { color: "rgba(0,0,0,0)", size: 17, line: { color: paint.ink, width: 2 } }, hoverinfo: "skip", hovertemplate: null, name: "selected" }));
  }
  const target = byId(`plot-${side}`);
  const known = target.dataset.drawn === "yes";
  const [across, up] = [axis(start, axes[0], paint, target.clientWidth - BESIDE),
    axes[1] === null ? { visible: false, range: [-1, 1], fixedrange: true } : axis(start, axes[1], paint, target.clientHeight - BESIDE)];
  const key = axes.join(",");
  whole[key] = { xaxis: across.range, yaxis: up.range };
  if (zoom?.axes === key) [across.range, up.range] = [[...zoom.xaxis], [...zoom.yaxis]];  // a zoom outlives the next answer
  target.dataset.axes = key;
  put(target, traces, {
    ...ground(paint, 12), margin: { l: 52, r: 12, t: 8, b: 44 }, hovermode: "closest", dragmode: DRAG, xaxis: across, yaxis: up,
  }, onSelect);
  if (!known) zooms(target, byId(`plot-${side === "first" ? "second" : "first"}`));
}

// The part of the plane that the reader has chosen: for both pictures, as long as they show these objectives.
let zoom = null;  // { axes, xaxis, yaxis }
const whole = {};  // ... and all of it, by the objectives

function zooms(target, other) {
  target.on("plotly_relayout", (moved) => {
    if (!Object.keys(moved).some((key) => /^[xy]axis\.range/.test(key))) return;
    const { xaxis, yaxis } = target.layout;
    zoom = { axes: target.dataset.axes, xaxis: [...xaxis.range], yaxis: [...yaxis.range] };
    match(other);
  });
  target.on("plotly_doubleclick", () => {
    if (zoom?.axes !== target.dataset.axes) return;
    zoom = { axes: zoom.axes, ...whole[zoom.axes] };
    for (const plot of [target, other]) match(plot);
    zoom = null;
  });
}

function match(plot) {
  if (plot.dataset.axes !== zoom.axes || plot.dataset.drawn !== "yes") return;
  if (["xaxis", "yaxis"].every((name) => String(plot.layout[name].range) === String(zoom[name]))) return;
  window.Plotly.relayout(plot, { "xaxis.range": [...zoom.xaxis], "yaxis.range": [...zoom.yaxis] });
}

// Every objective an axis, every design a line, and better is up on all of them. Says how many lines there are.
export function drawParallel(side, start, points, selected, onSelect) {
  const paint = colours();
  const quiet = pick(start.drawn, LINES.quiet);
  const front = pick(points, LINES.front);
  const traces = [
    lines(start, quiet, { line: { color: paint.quiet, width: 1 }, opacity: 0.5, name: "others" }),
    lines(start, front, { line: { color: paint[side], width: front.index.length > 100 ? 1 : 1.6 }, opacity: front.index.length > 100 ? 0.6 : 0.9, name: "Pareto" }),
  ];
  if (selected?.values) traces.push(lines(start, alone(selected), { line: { color: paint.ink, width: 3.5 }, hoverinfo: "skip", hovertemplate: null, name: "selected" }));
  const places = start.objectives.map((_, place) => place);
  const ends = places.flatMap((place) => {
    const [low, high] = start.ranges[place] ?? [0, 0];
    const values = start.minimised.includes(start.objectives[place]) ? [high, low] : [low, high];
    return [[values[0], 0, "top"], [values[1], 1, "bottom"]].map(([value, y, yanchor]) => ({
      x: place, y, yanchor, text: short(value), showarrow: false, font: { size: 11, color: paint.soft }, bgcolor: paint.paper,
    }));
  });
  byId(`plot-${side}`).dataset.axes = "all";
  put(byId(`plot-${side}`), traces, {
    ...ground(paint, 12), margin: { l: 40, r: 40, t: 10, b: 40 }, hovermode: "closest", dragmode: false,
    xaxis: {
      tickvals: places, ticktext: places.map((place) => label(start, place)), range: [-0.25, places.length - 0.75], fixedrange: true,
      gridcolor: paint.axis, zeroline: false, automargin: true, tickfont: { size: 11 },
    },
    yaxis: { visible: false, range: [-0.1, 1.1], fixedrange: true },
    annotations: ends, uirevision: "parallel",
  }, onSelect);
  return { quiet: quiet.index.length, front: front.index.length };
}

function pick(points, most) {
  const kept = spread(points.index.map((_, k) => k), most);
  const of = (list) => kept.map((k) => list[k]);
  return { index: of(points.index), names: of(points.names), values: points.values.map(of) };
}

function label(start, place) {
  const name = start.objectives[place];
  const cut = name.length > LONGEST_LABEL ? `${name.slice(0, LONGEST_LABEL - 1)}…` : name;
  return `${escaped(cut)}<br>${start.minimised.includes(name) ? "small" : "large"} is up`;
}

// One trace for all lines of a kind, broken where one ends: thousands of traces would be slow.
function lines(start, points, extra) {
  const [x, y, text, customdata] = [[], [], [], []];
  points.index.forEach((index, k) => {
    start.objectives.forEach((name, place) => {
      const [low, high] = start.ranges[place];
      const value = points.values[place][k];
      const share = high > low ? (value - low) / (high - low) : 0.5;
      x.push(place);
      y.push(start.minimised.includes(name) ? 1 - share : share);
      text.push(`${escaped(points.names[k])}<br>${escaped(name)}: ${short(value)}`);
      customdata.push(index);
    });
    for (const list of [x, y, text, customdata]) list.push(null);
  });
  return { type: "scatter", mode: "lines", x, y, text, customdata, connectgaps: false, hovertemplate: "%{text}<extra></extra>", ...extra };
}

export function drawAngles(angles, degrees) {
  const paint = colours();
  const plain = { gridcolor: paint.grid, zeroline: false, fixedrange: true };
  const line = {
    type: "scatter", mode: "lines", line: { shape: "hv", color: paint.first, width: 2 },
    x: angles.curve.map((pair) => pair[0]), y: angles.curve.map((pair) => pair[1]),
    hovertemplate: "%{x} degrees: %{y} Pareto<extra></extra>",
  };
  put(byId("plot-angles"), [line], {
    ...ground(paint, 11), margin: { l: 44, r: 10, t: 6, b: 38 }, hovermode: "x",
    xaxis: { ...plain, title: { text: "angle in degrees", standoff: 6 }, range: [0, 180], dtick: 45 },
    yaxis: { ...plain, title: { text: "Pareto designs" }, rangemode: "tozero", automargin: true },
    shapes: [{ type: "line", x0: degrees, x1: degrees, yref: "paper", y0: 0, y1: 1, line: { color: paint.second, width: 2 } }],
  });
}

// The cone of improvements, drawn in the direction of the axes of the picture beside it.
export function drawCone(rays, second, start) {
  const svg = byId("cone-picture");
  svg.toggleAttribute("hidden", rays === null);
  if (rays === null) return;
  const make = (tag, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const turned = (ray) => ray.map((value, place) => (start.minimised.includes(start.objectives[place]) ? -value : value));
  const wedge = (pair, className) => {
    const [[ax, ay], [bx, by]] = pair.map(turned);
    const sweep = ax * by - ay * bx > 0 ? 0 : 1;  // y points down in a picture
    return make("path", { d: `M0 0 L${ax} ${-ay} A1 1 0 0 ${sweep} ${bx} ${-by} Z`, class: className });
  };
  const parts = [
    make("circle", { r: 1, class: "disc" }),
    make("line", { x1: -1.1, x2: 1.1, y1: 0, y2: 0, class: "axis" }),
    make("line", { y1: -1.1, y2: 1.1, x1: 0, x2: 0, class: "axis" }),
    wedge(rays, "wedge"),
  ];
  if (second) parts.push(wedge(second, "wedge-second"));
  parts.push(make("circle", { r: 0.05, class: "origin" }));
  svg.replaceChildren(...parts);
}
