// The theme, before anything is drawn: the system's own, or the one that was chosen here.
// No module, so that the page is never light first and dark a moment later.
{
  const KEY = "conewise-theme";
  const THEMES = ["system", "light", "dark"];
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const paper = window.matchMedia("print");

  // A browser may refuse to remember; then the choice holds as long as the page is open.
  const remembered = () => {
    try {
      const found = window.localStorage.getItem(KEY);
      return THEMES.includes(found) ? found : "system";
    } catch {
      return "system";
    }
  };
  const remember = (theme) => {
    try {
      window.localStorage.setItem(KEY, theme);
    } catch { /* nothing is lost but the memory */ }
  };

  let chosen = remembered();
  let leaving = false;  // between beforeprint and afterprint
  const apply = () => {
    const wanted = chosen === "system" ? (system.matches ? "dark" : "light") : chosen;
    const theme = leaving || paper.matches ? "light" : wanted;  // paper is light whatever the screen is
    if (document.documentElement.dataset.theme === theme) return;
    document.documentElement.dataset.theme = theme;
    document.dispatchEvent(new Event("themechange"));
  };
  apply();
  for (const query of [system, paper]) query.addEventListener("change", apply);
  window.addEventListener("beforeprint", () => { leaving = true; apply(); });
  window.addEventListener("afterprint", () => { leaving = false; apply(); });
  document.addEventListener("DOMContentLoaded", () => {
    const field = document.getElementById("theme");
    field.value = chosen;
    field.addEventListener("change", () => {
      chosen = THEMES.includes(field.value) ? field.value : "system";
      remember(chosen);
      apply();
    });
  });
}
