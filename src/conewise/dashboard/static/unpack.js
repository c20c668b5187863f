// A saved page is small because its designs and its script are packed; a script whose digest the policy names may follow later.
(async () => {
  const unpacked = (id) => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  };
  if (!window.DecompressionStream) {
    document.getElementById("refusal").textContent = "This page needs a browser of 2023 or later: Chrome 80, Firefox 113, Safari 16.4.";
    return;
  }
  document.getElementById("data").textContent = await unpacked("data");
  const script = document.createElement("script");
  script.textContent = await unpacked("script");
  document.body.append(script);
})();
