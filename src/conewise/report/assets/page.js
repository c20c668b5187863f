"use strict";
// Draws what stands in the page's JSON. Text from the data only ever enters through textContent or Plotly's traces,
// whose own mark-up is switched off by `plain`.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = new Map(data.rows.map((row) => [row.id, row]));
  const find = (id) => document.getElementById(id);
  const GROUPS = [
    { status: "not Pareto", colour: "#9aa1ab", symbol: "circle-open", size: 6 },
    { status: "undecided", colour: "#D55E00", symbol: "diamond", size: 9 },
    { status: "Pareto", colour: "#0072B2", symbol: "circle", size: 10 },
  ];
  const LAYOUT = {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", margin: { l: 62, r: 12, t: 12, b: 50 },
    font: { family: "system-ui, sans-serif", size: 13, color: "#1d2530" }, hovermode: "closest",
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
  };
  const SETTINGS = { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["lasso2d", "select2d"] };
  const axis = (title) => ({ title: { text: plain(title) }, gridcolor: "#e3e6ea", zerolinecolor: "#c4c9d0", automargin: true });

  // Plotly reads a little HTML in its labels: a name must stay what it is.
  function plain(text) {
    return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  }
  function show(number, digits = 5) {
    return number === null ? "–" : String(Number(number.toPrecision(digits)));
  }
  function make(tag, text, attributes = {}) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }

  // -- the front ---------------------------------------------------------------------------------------------------
  const scales = [
    ...data.objectives.map((o, d) => ({
      label: `${o.name}, ${o.direction} is better`, of: (row) => row.means[d],
    })),
    ...data.cone.facets.map((_, n) => ({ label: `score under weighting w${n + 1}`, of: (row) => row.scores[n] })),
  ];
  let selected = null;
  const chosen = () => [Number(find("across").value), Number(find("up").value)];

  // What the confidence allows: |w_n (x - mean)| <= half-width for every n, cut out of a box in the plane.
  function region(row) {
    const [x, y] = chosen();
    if (data.objectives.length !== 2 || x > 1 || y > 1 || x === y) return null;
    if (!row.half_widths || row.half_widths.includes(null) || row.means.includes(null)) return null;
    const sign = data.objectives.map((o) => (o.direction === "smaller" ? -1 : 1));
    const reach = 4 * Math.max(...row.half_widths) / Math.min(1, ...data.cone.widths) * 10;
    let outline = [[-reach, -reach], [reach, -reach], [reach, reach], [-reach, reach]];
    data.cone.facets.forEach((w, n) => {
      for (const turn of [1, -1]) {
        const over = (p) => turn * (w[0] * p[0] + w[1] * p[1]) - row.half_widths[n];
        outline = outline.flatMap((p, i) => {
          const q = outline[(i + 1) % outline.length], a = over(p), b = over(q);
          const kept = a <= 0 ? [p] : [];
          if ((a < 0 && b > 0) || (a > 0 && b < 0)) {
            kept.push([p[0] + (q[0] - p[0]) * a / (a - b), p[1] + (q[1] - p[1]) * a / (a - b)]);
          }
          return kept;
        });
      }
    });
    if (!outline.length) return null;
    outline.push(outline[0]);
    const at = (p, d) => row.means[d] + sign[d] * p[d];
    return {
      x: outline.map((p) => at(p, x)), y: outline.map((p) => at(p, y)), mode: "lines", fill: "toself",
      line: { color: "#CC79A7", width: 1.5 }, fillcolor: "rgba(204,121,167,0.18)", hoverinfo: "skip",
      name: "its confidence",
    };
  }
  function drawFront() {
    const [x, y] = chosen();
    const traces = GROUPS.map((group) => {
      const rows = data.rows.filter((row) => row.status === group.status && scales[x].of(row) !== null);
      return {
        x: rows.map(scales[x].of), y: rows.map(scales[y].of), customdata: rows.map((row) => row.id), type: "scatter",
        text: rows.map((row) => `${plain(row.name)}<br>${row.status}, ${row.evaluations.toLocaleString("en")} evaluations`),
        hovertemplate: "%{text}<br>%{x:.5g}, %{y:.5g}<extra></extra>", mode: "markers",
        name: `${group.status} (${data.counts[{ "not Pareto": "eliminated", undecided: "undecided", Pareto: "pareto" }[group.status]].toLocaleString("en")})`,
        marker: { color: group.colour, symbol: group.symbol, size: group.size * (data.rows.length > 500 ? 0.6 : 1) },
      };
    }).filter((trace) => trace.x.length);
    if (selected !== null) {
      const row = byId.get(selected), around = region(row);
      if (around) traces.unshift(around);
      const rivals = row.rivals.map((rival) => byId.get(rival.id)).filter((rival) => rival);
      traces.push({
        x: rivals.map(scales[x].of), y: rivals.map(scales[y].of), mode: "markers", hoverinfo: "skip", name: "its rivals",
        marker: { symbol: "square-open", size: 17, color: "#009E73", line: { width: 2 } },
      }, {
        x: [scales[x].of(row)], y: [scales[y].of(row)], mode: "markers", hoverinfo: "skip", name: "selected",
        marker: { symbol: "circle-open", size: 19, color: "#000000", line: { width: 2.5 } },
      });
    }
    Plotly.react("front", traces, { ...LAYOUT, xaxis: axis(scales[x].label), yaxis: axis(scales[y].label) }, SETTINGS);
  }

  // -- one design ---------------------------------------------------------------------------------------------------
  function select(id, scroll) {
    const row = byId.get(id);
    if (!row) return;
    selected = id;
    for (const line of document.querySelectorAll("#answer tbody tr")) {
      line.setAttribute("aria-selected", String(Number(line.dataset.id) === id));
    }
    describe(row);
    drawFront();
    if (scroll) find("detail").scrollIntoView({ block: "nearest" });
  }
  function describe(row) {
    const panel = find("detail");
    panel.replaceChildren(make("h3", row.name));
    const facts = make("dl");
    const fact = (term, value) => facts.append(make("dt", term), make("dd", value));
    fact("status", row.status + (row.returned ? ", returned" : ", not returned"));
    fact("evaluations", row.evaluations.toLocaleString("en"));
    data.objectives.forEach((o, d) => fact(o.name, show(row.means[d])));
    if (row.gap !== null) fact("gap of its average", show(row.gap, 4));
    if (row.half_widths && row.half_widths.every((h) => h !== null)) {
      fact("confidence", row.half_widths.slice(0, 12).map((h, n) => `± ${show(h, 3)} along w${n + 1}`).join(", "));
    }
    panel.append(facts);
    if (!row.rivals.length) {
      panel.append(make("p", "It has no rival to be compared with yet.", { class: "soft" }));
      return;
    }
    const table = make("table");
    table.append(make("caption", row.status === "not Pareto" ? "Who puts it out" : "Against whom it is closest"));
    const head = make("tr");
    for (const title of ["rival", "it is", "settled from epsilon"]) {
      head.append(make("th", title, { scope: "col", ...(title === "it is" ? { class: "words" } : {}) }));
    }
    const top = make("thead"), body = make("tbody");
    top.append(head);
    for (const rival of row.rivals) {
      const line = make("tr"), cell = make("td");
      if (byId.has(rival.id)) {
        const button = make("button", rival.name, { type: "button", class: "pick" });
        button.addEventListener("click", () => select(rival.id, true));
        cell.append(button);
      } else cell.textContent = rival.name;
      line.append(cell, make("td", rival.relation, { class: "words" }), make("td", show(rival.epsilon, 4)));
      body.append(line);
    }
    table.append(top, body);
    const plot = make("div", undefined, { id: "gains", class: "plot", role: "img",
      "aria-label": "How far each rival is ahead along each weighting, with confidence" });
    panel.append(table, plot);
    const colours = ["#0072B2", "#E69F00", "#009E73", "#CC79A7"], symbols = ["circle", "square", "diamond", "triangle-up"];
    Plotly.newPlot(plot, row.rivals.map((rival, i) => ({
      x: rival.facets.map((n) => `w${n + 1}`), y: rival.gains, mode: "markers", name: plain(rival.name).slice(0, 28),
      marker: { color: colours[i], symbol: symbols[i], size: 8 },
      error_y: rival.radii ? { type: "data", array: rival.radii, color: colours[i], thickness: 1.5, width: 5 } : undefined,
      hovertemplate: "%{x}: ahead by %{y:.4g}<extra></extra>",
    })), { ...LAYOUT, scattermode: "group", showlegend: row.rivals.length > 1, margin: { l: 58, r: 8, t: 8, b: 36 }, yaxis: axis("the rival is ahead by"),
      xaxis: { ...axis("weighting"), type: "category" }, legend: { orientation: "h", y: 1.02, yanchor: "bottom", font: { size: 11 } } },
    { ...SETTINGS, displayModeBar: false });
  }

  // -- the table ----------------------------------------------------------------------------------------------------
  const body = document.querySelector("#answer tbody");
  const lines = [...body.rows];
  function sortBy(button) {
    const head = button.closest("th"), column = head.cellIndex;
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const numeric = head.dataset.kind === "number";
    const value = (line) => (numeric ? Number(line.cells[column].dataset.value || "NaN") : line.cells[column].textContent);
    const order = (a, b) => {
      const first = value(a), second = value(b);
      if (!numeric) return (down ? -1 : 1) * first.localeCompare(second, "en", { numeric: true });
      if (Number.isNaN(first) || Number.isNaN(second)) return Number.isNaN(first) - Number.isNaN(second);
      return down ? second - first : first - second;
    };
    lines.sort(order);
    body.replaceChildren(...lines);
  }
  function filter() {
    const text = find("filter").value.trim().toLowerCase(), status = find("status").value;
    let shown = 0;
    for (const line of lines) {
      const row = byId.get(Number(line.dataset.id));
      line.hidden = !((!status || row.status === status || (status === "returned" && row.returned)) &&
        row.name.toLowerCase().includes(text));
      shown += !line.hidden;
    }
    find("shown").textContent = `${shown.toLocaleString("en")} of ${lines.length.toLocaleString("en")} rows shown`;
  }

  // -- how it got there -----------------------------------------------------------------------------------------------
  function drawHistory() {
    if (!data.history.length) return;
    const x = data.history.map((moment) => moment.evaluations);
    const line = (name, key, colour, dash) => ({ x, y: data.history.map((m) => m[key]), name, mode: "lines+markers",
      line: { color: colour, width: 2.5, dash }, marker: { size: 5 } });
    Plotly.newPlot("history", [line("Pareto", "pareto", "#0072B2", "solid"), line("undecided", "undecided", "#D55E00", "dash"),
      line("not Pareto", "eliminated", "#6b7280", "dot")],
    { ...LAYOUT, xaxis: axis("evaluations"), yaxis: { ...axis("designs"), rangemode: "tozero" } }, SETTINGS);
    if (data.history.some((m) => m.certified_epsilon !== null)) {
      Plotly.newPlot("epsilon", [line("certified epsilon", "certified_epsilon", "#009E73", "solid"),
        { x: [x[0], x[x.length - 1]], y: [data.epsilon, data.epsilon], name: "asked for", mode: "lines", line: { color: "#55606e", dash: "dash" } }],
      { ...LAYOUT, xaxis: axis("evaluations"), yaxis: { ...axis("epsilon"), rangemode: "tozero" } }, SETTINGS);
    } else find("epsilon").remove();
  }

  for (const button of document.querySelectorAll("#answer thead button")) button.addEventListener("click", () => sortBy(button));
  body.addEventListener("click", (event) => {
    const line = event.target.closest("tr");
    if (line) select(Number(line.dataset.id), event.target.closest("button") !== null);
  });
  find("filter").addEventListener("input", filter);
  find("status").addEventListener("change", filter);
  scales.forEach((scale, i) => { for (const id of ["across", "up"]) find(id).append(make("option", scale.label, { value: i })); });
  find("across").value = "0";
  find("up").value = String(Math.min(1, scales.length - 1));
  for (const id of ["across", "up"]) find(id).addEventListener("change", drawFront);
  filter();
  drawFront();
  find("front").on("plotly_click", (event) => {
    const id = event.points[0].customdata;
    if (id !== undefined) select(id, false);
  });
  drawHistory();
  const first = data.rows.find((row) => row.status === "undecided") || data.rows.find((row) => row.returned) || data.rows[0];
  if (first) select(first.id, false);
  document.documentElement.dataset.ready = "yes";
})();
