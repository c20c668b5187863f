// Files: the picture as it stands, and the page as one that needs no server.

import { Refusal, ask } from "./api.js";
import { byId, download, say } from "./dom.js";
import { savePicture } from "./files.js";
import { levelsAsked } from "./levels.js";
import { picture } from "./pictures.js";
import { asked } from "./preference.js";
import { kept } from "./shortlist.js";

export function setUpSaving() {
  for (const kind of ["png", "svg"]) byId(`save-${kind}`).addEventListener("click", () => savePicture(picture(), kind, "designs"));
  byId("save-page").addEventListener("click", async () => {
    try {
      const { html } = await ask("saved", { first: asked(), ...levelsAsked(), index: kept.map(({ index }) => index) });
      download(new Blob([html], { type: "text/html" }), "designs.html");
      say("saved", "Saved as designs.html, whose control still works, without a server.");
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say("saved", error.message);
    }
  });
}
