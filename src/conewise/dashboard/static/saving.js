// Files: the picture as it stands, and the page as one that needs no server.

import { Refusal, ask } from "./api.js";
import { byId, download, say } from "./dom.js";
import { picture } from "./pictures.js";
import { asked } from "./preference.js";
import { kept } from "./shortlist.js";

export function setUpSaving() {
  byId("save-png").addEventListener("click", () => picture().canvas.toBlob((blob) => download(blob, "designs.png")));
  byId("save-page").addEventListener("click", async () => {
    try {
      const { html } = await ask("saved", { first: asked(), index: kept.map(({ index }) => index) });
      download(new Blob([html], { type: "text/html" }), "designs.html");
      say("saved", "Saved as designs.html, whose control still works, without a server.");
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say("saved", error.message);
    }
  });
}
