"use strict";
// Draws what stands in the page's JSON. Text from the data only ever enters through textContent or Plotly's traces,
// whose own mark-up is switched off by `plain`.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = new Map(data.rows.map((row) => [row.id, row]));
  const find = (id) => document.getElementById(id);
  // Colours for a light ground, a dark one, and paper, which is light whatever the screen is.
  const LIGHT = { ink: "#1d2530", soft: "#55606e", paper: "#ffffff", grid: "#e3e6ea", zero: "#c4c9d0", selected: "#000000",
    pareto: "#0072B2", undecided: "#D55E00", out: "#7d8591", rivals: "#009E73", certified: "#009E73",
    each: ["#0072B2", "#E69F00", "#009E73", "#CC79A7"] };
  const DARK = { ink: "#e6e9ee", soft: "#a9b3c0", paper: "#161b22", grid: "#2e3640", zero: "#4a5563", selected: "#ffffff",
    pareto: "#56B4E9", undecided: "#F5A34A", out: "#98a2af", rivals: "#2CC79A", certified: "#2CC79A",
    each: ["#56B4E9", "#F0E442", "#2CC79A", "#E9A3C9"] };
  const dark = matchMedia("(prefers-color-scheme: dark)"), paper = matchMedia("print");
  let leaving = false; // between beforeprint and afterprint
  let saving = false; // while a picture is made for a file, which people lay on white
  const printing = () => leaving || paper.matches;
  const colours = () => (dark.matches && !printing() && !saving ? DARK : LIGHT);
  const { plain } = ConewisePlots;
  const GROUPS = [
    { status: "misses a level", colour: "out", symbol: "x-thin-open", size: 6 },
    { status: "beaten", colour: "out", symbol: "circle-open", size: 6 },
    { status: "covered", colour: "out", symbol: "circle", size: 6 },
    { status: "undecided", colour: "undecided", symbol: "diamond", size: 9 },
    { status: "kept", colour: "pareto", symbol: "circle", size: 10 },
  ];
  // On paper a picture has the width of a page: the browser lays it out after it was drawn.
  const PRINTED = { front: [680, 420], history: [680, 270], epsilon: [680, 270], gains: [620, 260] };
  const ROWS_PRINTED = 200;
  const MOST = 30; // objectives listed of one design
  function layout(id, more) {
    const { ink, paper: ground, soft, zero } = colours(), [width, height] = printing() ? PRINTED[id] : [undefined, undefined];
    return {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", margin: { l: 62, r: 36, t: 12, b: 50 }, width, height,
      autosize: !printing(), font: { family: "system-ui, sans-serif", size: 13, color: ink }, hovermode: "closest",
      hoverlabel: { bgcolor: ground, bordercolor: zero, font: { color: ink }, align: "left" },
      modebar: { orientation: "v", bgcolor: "rgba(0,0,0,0)", color: soft, activecolor: ink },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 }, ...more,
    };
  }
  // The buttons are named one by one: a new release of Plotly cannot add one of its own. The same object every time:
  // Plotly draws anew, without the reader's zoom, where settings change.
  const SETTINGS = { ...ConewisePlots.SETTINGS, responsive: true,
    modeBarButtons: [[{ name: "save", title: "Save as a picture (PNG)", icon: Plotly.Icons.camera, click: (plot) => save(plot.id) }],
      ["zoom2d", "pan2d"], ["zoomIn2d", "zoomOut2d", "resetScale2d"]] };
  const PLAIN = { ...SETTINGS, displayModeBar: false };
  const draw = (id) => { const { traces, look } = FIGURES[id](); Plotly.react(id, traces, look, id === "gains" ? PLAIN : SETTINGS); };
  // As it is on the screen, zoom and all, but dark on white whatever the screen is.
  function save(id) {
    const plot = find(id);
    saving = true;
    const { traces, look } = FIGURES[id]();
    saving = false;
    for (const name of ["xaxis", "yaxis"]) look[name] = { ...look[name], range: [...plot.layout[name].range], autorange: false };
    const [width, height] = [plot.clientWidth, plot.clientHeight];
    Plotly.downloadImage({ data: traces, layout: { ...look, paper_bgcolor: LIGHT.paper, plot_bgcolor: LIGHT.paper, width, height } },
      { format: "png", width, height, scale: 2, filename: `conewise-${id}` });
  }
  const axis = (text) => ({ title: { text }, gridcolor: colours().grid, zerolinecolor: colours().zero, automargin: true });

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
  // An objective that is a weighting by itself has that weighting's confidence.
  const facetOf = (d) => data.cone.facets.findIndex((w) => w.every((v, e) => Math.abs(v - (d === e ? 1 : 0)) < 1e-12));
  const scales = [
    ...data.objectives.map((o, d) => ({
      name: o.name, words: `, ${o.direction} is better`, of: (row) => row.means[d], facet: facetOf(d), unit: o.unit ?? 1,
    })),
    ...data.cone.facets.map((_, n) => ({
      name: `score w${n + 1} = ${data.cone.weightings[n]}`, words: "", of: (row) => row.scores[n], facet: n, unit: 1,
    })),
  ];
  let selected = null;
  const chosen = () => [Number(find("across").value), Number(find("up").value)];
  const known = (row) => row.half_widths && !row.half_widths.includes(null) && !row.means.includes(null);

  // What the confidence allows: |w_n (x - mean)| <= half-width for every n; a box along two weightings, or in the plane
  // of two objectives whatever is left of a large box.
  function region(row) {
    const [x, y] = chosen();
    if (x === y || !known(row)) return null;
    const [across, up] = [scales[x], scales[y]];
    let corners = null;
    if (across.facet >= 0 && up.facet >= 0) {
      const [h, v] = [row.half_widths[across.facet] * across.unit, row.half_widths[up.facet] * up.unit];
      corners = [[-h, -v], [h, -v], [h, v], [-h, v]].map((p) => [across.of(row) + p[0], up.of(row) + p[1]]);
    } else if (data.objectives.length === 2 && x < 2 && y < 2) {
      const sign = data.objectives.map((o) => (o.direction === "smaller" ? -1 : 1));
      corners = polygon(row).map((p) => [x, y].map((d) => row.means[d] + sign[d] * scales[d].unit * p[d]));
    }
    if (!corners || !corners.length) return null;
    corners.push(corners[0]);
    return {
      x: corners.map((p) => p[0]), y: corners.map((p) => p[1]), mode: "lines", fill: "toself",
      line: { color: "#CC79A7", width: 1.5 }, fillcolor: "rgba(204,121,167,0.18)", hoverinfo: "skip",
      name: "its confidence", showlegend: false,
    };
  }
  function polygon(row) {
    const reach = 40 * Math.max(...row.half_widths) / Math.min(1, ...data.cone.widths);
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
    return outline;
  }
  const MARGINS = 100; // pixels of a picture beside its axes
  const title = (n, side) => ConewisePlots.fitted(scales[n].name, scales[n].words, (find("front")[side] || 600) - MARGINS);
  // What an axis shows: all designs, with room for their confidence as far as it leaves the designs apart. It does not
  // depend on the selection, so that the picture stays where it is.
  function extent(n) {
    const { of, facet, unit } = scales[n], rows = data.rows.filter((row) => of(row) !== null);
    const values = rows.map(of), [low, high] = [Math.min(...values), Math.max(...values)];
    if (!rows.length) return [-1, 1];
    const size = high - low || Math.abs(low) || 1;
    const wide = (row) => (!known(row) ? 0 : unit * (facet >= 0 ? row.half_widths[facet] : Math.max(...row.half_widths)));
    const beyond = (reach) => Math.min(0.5 * size, Math.max(0, reach)) + 0.06 * size;
    return [low - beyond(Math.max(...rows.map((row) => low - of(row) + wide(row)))), high + beyond(Math.max(...rows.map((row) => of(row) + wide(row) - high)))];
  }
  const along = (row, most) => row.half_widths.slice(0, most).map((h, n) => `± ${show(h, 3)} along w${n + 1}`).join(", ") +
    (row.half_widths.length > most ? ", …" : "");
  function front() {
    const [x, y] = chosen();
    const traces = GROUPS.map((group) => {
      const rows = data.rows.filter((row) => row.status === group.status && scales[x].of(row) !== null);
      return {
        x: rows.map(scales[x].of), y: rows.map(scales[y].of), customdata: rows.map((row) => row.id), type: "scatter",
        text: rows.map((row) => `${plain(row.name)}<br>${row.status}, ${row.evaluations.toLocaleString("en")} evaluations` +
          (known(row) ? `<br>${along(row, 3)}` : "")),
        hovertemplate: "%{text}<br>%{x:.5g}, %{y:.5g}<extra></extra>", mode: "markers",
        name: `${group.status} (${data.counts[group.status].toLocaleString("en")})`,
        marker: { color: colours()[group.colour], symbol: group.symbol, size: group.size * (data.rows.length > 500 ? 0.6 : 1) },
      };
    }).filter((trace) => trace.x.length);
    if (selected !== null) {
      const row = byId.get(selected), around = region(row);
      if (around) traces.unshift(around);
      const rivals = row.rivals.map((rival) => byId.get(rival.id)).filter((rival) => rival);
      traces.push({
        x: rivals.map(scales[x].of), y: rivals.map(scales[y].of), mode: "markers", hoverinfo: "skip", name: "its rivals", showlegend: false,
        marker: { symbol: "square-open", size: 17, color: colours().rivals, line: { width: 2 } },
      }, {
        x: [scales[x].of(row)], y: [scales[y].of(row)], mode: "markers", hoverinfo: "skip", name: "selected", showlegend: false,
        marker: { symbol: "circle-open", size: 19, color: colours().selected, line: { width: 2.5 } },
      });
    }
    // A zoom outlives the next selection, and not other axes.
    const look = layout("front", {
      xaxis: { ...axis(title(x, "clientWidth")), range: extent(x) }, yaxis: { ...axis(title(y, "clientHeight")), range: extent(y) }, uirevision: `${x},${y}`,
    });
    return { traces, look };
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
    draw("front");
    if (scroll) find("detail").scrollIntoView({ block: "nearest" });
  }
  function describe(row) {
    const panel = find("detail");
    panel.replaceChildren(make("h3", row.name));
    const facts = make("dl");
    const fact = (term, value) => facts.append(make("dt", term), make("dd", value));
    fact("status", row.standing + (row.returned === (row.status === "kept") ? "" : row.returned ? ", returned" : ", not returned"));
    if (row.certain) fact("certainly", "Pareto optimal");
    fact("evaluations", row.evaluations.toLocaleString("en"));
    data.objectives.slice(0, MOST).forEach((o, d) => fact(o.name, show(row.means[d])));
    if (data.objectives.length > MOST) fact("and", `${data.objectives.length - MOST} more objectives, on the axes of the picture`);
    if (row.gap !== null) fact("gap of its average", show(row.gap, 4));
    if (known(row)) fact("confidence", along(row, 12));
    panel.append(facts);
    if (!row.rivals.length) {
      panel.append(make("p", "It has no rival to be compared with yet.", { class: "soft" }));
      return;
    }
    const table = make("table");
    table.append(make("caption", row.status === "beaten" || row.status === "covered" ? "Who puts it out" : "Against whom it is closest"));
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
    draw("gains");
  }
  function gains() {
    const row = byId.get(selected), each = colours().each, symbols = ["circle", "square", "diamond", "triangle-up"];
    const traces = row.rivals.map((rival, i) => ({
      x: rival.facets.map((n) => `w${n + 1}`), y: rival.gains, mode: "markers", name: plain(rival.name.slice(0, 28)),
      marker: { color: each[i], symbol: symbols[i], size: 8 }, text: rival.facets.map((n) => plain(data.cone.weightings[n])),
      error_y: rival.radii ? { type: "data", array: rival.radii, color: each[i], thickness: 1.5, width: 5 } : undefined,
      hovertemplate: "%{x} = %{text}<br>ahead by %{y:.4g}<extra></extra>",
    }));
    const look = layout("gains", { scattermode: "group", showlegend: row.rivals.length > 1, margin: { l: 58, r: 8, t: 8, b: 36 },
      yaxis: axis("the rival is ahead by"), xaxis: { ...axis("weighting"), type: "category" },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", font: { size: 11 } } });
    return { traces, look };
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
      line.hidden = !((!status || row.status === status || (status === "returned" && row.returned) || (status === "certain" && row.certain)) &&
        row.name.toLowerCase().includes(text));
      shown += !line.hidden;
    }
    find("shown").textContent = `${shown.toLocaleString("en")} of ${lines.length.toLocaleString("en")} rows shown`;
  }

  // -- how it got there -----------------------------------------------------------------------------------------------
  const line = (name, key, colour, dash) => ({ x: data.history.map((m) => m.evaluations), y: data.history.map((m) => m[key]),
    name, mode: "lines+markers", line: { color: colour, width: 2.5, dash }, marker: { size: 5 } });
  const upwards = (id, title) => layout(id, { xaxis: axis("evaluations"), yaxis: { ...axis(title), rangemode: "tozero" }, uirevision: id });
  function history() {
    const { pareto, undecided, out, soft } = colours();
    return { traces: [line("kept", "kept", pareto, "solid"), line("undecided", "undecided", undecided, "dash"),
      line("covered", "covered", soft, "dashdot"), line("beaten", "beaten", out, "dot"),
      ...(data.counts.misses_a_level ? [line("misses a level", "misses_a_level", out, "longdash")] : [])], look: upwards("history", "designs") };
  }
  function certified() {
    const asked = { ...line("asked for", "evaluations", colours().soft, "dash"), mode: "lines", y: data.history.map(() => data.epsilon) };
    return { traces: [line("certified epsilon", "certified_epsilon", colours().certified, "solid"), asked], look: upwards("epsilon", "epsilon") };
  }
  function drawHistory() {
    if (!data.history.length) return;
    draw("history");
    if (data.history.some((m) => m.certified_epsilon !== null)) draw("epsilon");
    else if (find("epsilon")) find("epsilon").remove();
  }

  // -- another ground, or paper -----------------------------------------------------------------------------------------
  const FIGURES = { front, gains, history, epsilon: certified };
  function redraw() {
    draw("front");
    drawHistory();
    if (selected !== null && find("gains")) draw("gains");
  }
  function ready() {
    let shown = 0;
    for (const line of body.rows) line.classList.toggle("unprinted", !line.hidden && (shown += 1) > ROWS_PRINTED);
    const left = shown - ROWS_PRINTED;
    find("printed").textContent = left > 0 ? `The first ${ROWS_PRINTED} rows; ${left.toLocaleString("en")} more are in the file.` : "";
    redraw();
  }
  window.addEventListener("resize", () => draw("front")); // titles of axes have another length
  dark.addEventListener("change", redraw);
  paper.addEventListener("change", ready);
  window.addEventListener("beforeprint", () => { leaving = true; ready(); });
  window.addEventListener("afterprint", () => { leaving = false; redraw(); });

  for (const button of document.querySelectorAll("#answer thead button")) button.addEventListener("click", () => sortBy(button));
  body.addEventListener("click", (event) => {
    const line = event.target.closest("tr");
    if (line) select(Number(line.dataset.id), event.target.closest("button") !== null);
  });
  find("filter").addEventListener("input", filter);
  find("status").addEventListener("change", filter);
  scales.forEach((scale, i) => { for (const id of ["across", "up"]) find(id).append(make("option", scale.name + scale.words, { value: i })); });
  find("across").value = "0";
  find("up").value = String(Math.min(1, scales.length - 1));
  for (const id of ["across", "up"]) find(id).addEventListener("change", () => draw("front"));
  filter();
  draw("front");
  ConewisePlots.follow(find("front"), (id) => select(id, false));
  drawHistory();
  const first = data.rows.find((row) => row.status === "undecided") || data.rows.find((row) => row.returned) || data.rows[0];
  if (first) select(first.id, false);
  document.documentElement.dataset.ready = "yes";
})();
