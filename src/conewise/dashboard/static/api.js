// Questions to the server that served this page: the address before "api" holds the token.

export class Refusal extends Error {}

export async function ask(question, asked = {}, signal = null) {
  let response;
  try {
    response = await fetch(`api/${question}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(asked),
      signal,
    });
  } catch {
    throw new Refusal("The explorer has stopped; start conewise explore again and open its address (if it is this one, the page goes on).");
  }
  const answer = await response.json().catch(() => ({ error: `The explorer answered ${response.status}.` }));
  if (answer.error !== undefined) throw new Refusal(sentence(answer.error));
  return answer;
}

// Only the newest question matters: while one is on its way, the last of those that follow waits, the others are dropped.
// The work is told how to find out whether another one waits.
export function latest(work) {
  let running = false;
  let again = false;
  return async function run() {
    if (running) { again = true; return; }
    running = true;
    try {
      do { again = false; await work(() => again); } while (again);
    } finally { running = false; }
  };
}

export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
