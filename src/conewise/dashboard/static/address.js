// What the page shows, in its address: to be kept, shared on this machine, and gone back through.

const FIELDS = ["base", "said", "selected", "list", "second", "axes", "view", "levels"];

let written = "";

// Only what differs from how the page opens stands there.
export function note(state, plain) {
  const parts = FIELDS.filter((name) => state[name] !== undefined && JSON.stringify(state[name]) !== JSON.stringify(plain[name]))
    .map((name) => `${name}=${encodeURIComponent(JSON.stringify(state[name]))}`);
  const hash = parts.length ? `#${parts.join("&")}` : "";
  if (hash === written) return;
  written = hash;
  window.history.pushState(null, "", hash || window.location.pathname);
}

// What is not understood is as if it were not there.
export function read() {
  written = window.location.hash;
  const found = {};
  for (const part of written.slice(1).split("&")) {
    const [name, text] = part.split("=");
    if (!FIELDS.includes(name) || text === undefined) continue;
    try { found[name] = JSON.parse(decodeURIComponent(text)); } catch { /* somebody cut it */ }
  }
  return found;
}
