// The page of a report: the picture, one design beside it, the table, and how it got there.

import { byId } from "./dom.js";
import { data, everyone, isKnown, isOut } from "./designs.js";
import { drawDetail } from "./detail.js";
import { drawFront, setUpFront } from "./front.js";
import { Lines } from "./lines.js";
import { markRow, setUpRows } from "./rows.js";

const DASHES = { kept: ["blue", []], undecided: ["orange", [7, 4]], covered: ["soft", [7, 3, 2, 3]], beaten: ["quiet", [2, 3]], misses_a_level: ["quiet", [12, 4]] };

function select(k, scroll = false) {
  drawFront(k);
  drawDetail(k, select);
  markRow(k);
  if (scroll) byId("detail").scrollIntoView({ block: "nearest" });
}

function drawHistory(moments) {
  const x = moments.map(({ evaluations }) => evaluations);
  const series = Object.entries(DASHES).map(([key, [colour, dash]]) => ({ name: key.replaceAll("_", " "), values: moments.map((moment) => moment[key]), colour, dash }))
    .filter(({ values }) => values.some((value) => value));
  new Lines(byId("history"), "Designs by status over evaluations", { x, series, across: "evaluations", up: "designs" });
  if (moments.every((moment) => moment.certified_epsilon === null)) { byId("certifying").remove(); return; }
  new Lines(byId("epsilon"), "Certified epsilon over evaluations", {
    x, across: "evaluations", up: "epsilon",
    series: [
      { name: "certified", values: moments.map((moment) => moment.certified_epsilon), colour: "green", dash: [] },
      { name: "asked for", values: moments.map(() => data.epsilon), colour: "soft", dash: [7, 4] },
    ],
  });
}

setUpFront(select);
setUpRows(select);
if (data.history.length) drawHistory(data.history);

const first = data.shortlist[0] ?? Math.max(0, everyone.findIndex((k) => !isOut(k) && isKnown(k)));
if (everyone.length) select(first);
document.documentElement.dataset.ready = "yes";
