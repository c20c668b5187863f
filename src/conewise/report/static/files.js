// A picture as a file: dark on white, whatever the screen is, for that is what people lay it on.

import { download } from "./dom.js";

export function savePicture(drawing, kind, name) {
  const root = document.documentElement;
  const { theme } = root.dataset;
  const wear = (worn) => { root.dataset.theme = worn; document.dispatchEvent(new Event("themechange")); };
  wear("light");
  if (kind === "svg") download(new Blob([drawing.vector()], { type: "image/svg+xml" }), `${name}.svg`);
  else drawing.canvas.toBlob((blob) => download(blob, `${name}.png`));
  wear(theme);
}
