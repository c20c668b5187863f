"use strict";
// What the pictures of the report and of the explorer share: Plotly without its cloud, and which design is meant.
const ConewisePlots = (() => {
  // Nothing is sent anywhere: newer releases of Plotly bring a button that uploads the picture unless told not to.
  const SETTINGS = { displaylogo: false, showSendToCloud: false, showEditInChartStudio: false, showLink: false, sendData: false,
    plotlyServerURL: "" };

  const AGAIN = 1000; // milliseconds

  // Plotly reads a little HTML in its labels: a name must stay what it is.
  const plain = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

  // The title of an axis as far as the axis is long: a name is cut, what is said of it is not.
  const LETTER = 8; // pixels, of text of size 13 in a wide face
  function fitted(name, words, pixels) {
    const room = Math.max(8, Math.floor(pixels / LETTER) - words.length);
    return plain((name.length > room ? `${name.slice(0, room - 1)}…` : name) + words);
  }

  // The drawn design nearest to a place in the window. Plotly itself prefers small markers among near ones, so that
  // whoever aims at a large one gets its small neighbour.
  function nearest(plot, left, top) {
    const box = plot.getBoundingClientRect(), { xaxis, yaxis } = plot._fullLayout;
    const [x, y] = [left - box.left - xaxis._offset, top - box.top - yaxis._offset];
    let found = null, least = Infinity;
    plot.data.forEach((trace, curveNumber) => {
      if (!trace.customdata || trace.hoverinfo === "skip" || trace.visible === "legendonly") return;
      trace.customdata.forEach((id, pointNumber) => {
        if (id === null) return;
        const away = Math.hypot(xaxis.d2p(trace.x[pointNumber]) - x, yaxis.d2p(trace.y[pointNumber]) - y);
        if (away <= least) [found, least] = [{ id, curveNumber, pointNumber }, away]; // what is drawn later lies above
      });
    });
    return found;
  }

  // Labels and clicks, of a mouse or a finger, go to the nearest design.
  function follow(plot, select) {
    const meant = (event) => {
      const place = event.event?.changedTouches?.[0] ?? event.event;
      return place && Number.isFinite(place.clientX) ? nearest(plot, place.clientX, place.clientY) : null;
    };
    const label = ({ curveNumber, pointNumber }) => Plotly.Fx.hover(plot, [{ curveNumber, pointNumber }], "xy", true);
    plot.on("plotly_hover", (event) => {
      const found = meant(event), shown = event.points[0];
      if (found && (found.curveNumber !== shown.curveNumber || found.pointNumber !== shown.pointNumber)) label(found);
    });
    let touched = -Infinity;
    plot.on("plotly_click", (event) => {
      // A browser says a tap twice, the second time as a mouse would, in whole pixels.
      if (event.event?.type.startsWith("touch")) touched = event.event.timeStamp;
      else if (event.event?.timeStamp - touched < AGAIN) return;
      const found = meant(event), id = found ? found.id : event.points[0].customdata;
      if (id === undefined || id === null) return;
      if (found) label(found);
      select(id);
    });
  }

  return { SETTINGS, plain, fitted, nearest, follow };
})();
