// Pictures. Plotly reads a little markup in texts, so names are escaped before they reach it.

import { byId } from "./dom.js";

const INK = "#33414d";
const QUIET = "#b4bcc4";
const COLOURS = { first: "#0072b2", second: "#b34700" };
const SYMBOLS = { first: "circle", second: "diamond" };
const CONFIG = { displayModeBar: false, doubleClick: "reset" };

const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function axis(start, objective) {
  const name = start.objectives[objective];
  const better = start.minimised.includes(name) ? "smaller is better" : "larger is better";
  return {
    title: { text: `${escaped(name)} (${better})`, font: { size: 12 }, standoff: 8 },
    gridcolor: "#e6eaee", zeroline: false, linecolor: "#aab4bd", showline: true, ticks: "outside", tickcolor: "#aab4bd",
    automargin: true,
  };
}

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

export function drawFront(side, start, points, axes, selected, onSelect) {
  const target = byId(`plot-${side}`);
  const traces = [
    trace(start.drawn, axes, { marker: { color: QUIET, size: 5, line: { width: 0 } }, name: "all designs" }),
    trace(points, axes, { marker: { color: COLOURS[side], symbol: SYMBOLS[side], size: 9, line: { color: "#fff", width: 1 } }, name: "Pareto" }),
  ];
  if (selected?.values) {
    const ring = { index: [selected.index], names: [selected.name], values: selected.values.map((value) => [value]) };
    traces.push(trace(ring, axes, { marker: { color: "rgba(0,0,0,0)", size: 17, line: { color: "#111", width: 2 } }, name: "selected" }));
  }
  const layout = {
    margin: { l: 52, r: 12, t: 8, b: 44 }, showlegend: false, hovermode: "closest", dragmode: "zoom",
    paper_bgcolor: "#fff", plot_bgcolor: "#fff", font: { family: "system-ui, sans-serif", color: INK, size: 12 },
    xaxis: axis(start, axes[0]),
    yaxis: axes[1] === null ? { visible: false } : axis(start, axes[1]),
    uirevision: axes.join(","),  // a zoom outlives the next answer
  };
  const known = target.dataset.drawn === "yes";
  window.Plotly.react(target, traces, layout, CONFIG);
  if (!known) {
    target.dataset.drawn = "yes";
    follow(target);
    target.on("plotly_click", (event) => onSelect(event.points[0].customdata));
  }
}

export function drawAngles(angles, degrees) {
  const target = byId("plot-angles");
  const layout = {
    margin: { l: 44, r: 10, t: 6, b: 38 }, showlegend: false, hovermode: "x",
    paper_bgcolor: "#fff", plot_bgcolor: "#fff", font: { family: "system-ui, sans-serif", color: INK, size: 11 },
    xaxis: { title: { text: "angle in degrees", standoff: 6 }, gridcolor: "#e6eaee", zeroline: false, range: [0, 180], dtick: 45, fixedrange: true },
    yaxis: { title: { text: "Pareto designs" }, gridcolor: "#e6eaee", zeroline: false, rangemode: "tozero", fixedrange: true, automargin: true },
    shapes: degrees === null ? [] : [{ type: "line", x0: degrees, x1: degrees, yref: "paper", y0: 0, y1: 1, line: { color: COLOURS.second, width: 2 } }],
  };
  const line = {
    type: "scatter", mode: "lines", line: { shape: "hv", color: COLOURS.first, width: 2 },
    x: angles.curve.map((pair) => pair[0]), y: angles.curve.map((pair) => pair[1]),
    hovertemplate: "%{x} degrees: %{y} Pareto<extra></extra>",
  };
  const known = target.dataset.drawn === "yes";
  window.Plotly.react(target, [line], layout, CONFIG);
  if (known) return;
  target.dataset.drawn = "yes";
  follow(target);
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
