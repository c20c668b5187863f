// Small helpers. Text from outside enters the page through textContent only.

export const byId = (id) => document.getElementById(id);

export function element(tag, text = null, className = "") {
  const made = document.createElement(tag);
  if (text !== null) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// A name that can be chosen.
export function chooser(name, index, onSelect) {
  const button = element("button", name, "link");
  button.type = "button";
  button.dataset.index = index;
  button.addEventListener("click", () => onSelect(index));
  return button;
}

export function say(id, text) {
  const target = byId(id);
  if (target.textContent !== text) target.textContent = text;
}

export function show(id, visible) {
  const target = byId(id);
  if (target.hidden === visible) target.hidden = !visible;
}

export const whole = (number) => number.toLocaleString("en-GB", { maximumFractionDigits: 0 });

export function short(number) {
  if (number === null || number === undefined) return "–";
  const size = Math.abs(number);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return number.toExponential(3);
  return String(size >= 1e5 ? Math.round(number) : Number(number.toPrecision(5)));
}

// Numbers that would not fit a card, in words people use.
export function large(number) {
  if (number < 1e6) return whole(number);
  for (const [unit, word] of [[1e12, "trillion"], [1e9, "billion"], [1e6, "million"]]) {
    if (number >= unit) return `${(number / unit).toLocaleString("en-GB", { maximumSignificantDigits: 4 })} ${word}`;
  }
  return whole(number);
}

// Only so many of a list, evenly along it.
export function spread(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, k) => list[Math.round((k * (list.length - 1)) / (most - 1))]);
}

export function download(blob, name) {
  const link = element("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// How one design differs from another: "12 more strength, 3 less price".
export function traded(names, before, after) {
  const steps = names.map((name, place) => [after[place] - before[place], name]).filter(([step]) => step);
  return steps.map(([step, name]) => {
    const [, called, unit] = name.match(/^(.*\S)\s*[([]([^()[\]]+)[)\]]$/) ?? [null, name, ""];  // price (EUR)
    return `${short(Math.abs(step))} ${unit && `${unit} `}${step > 0 ? "more" : "less"} ${called}`;
  }).join(", ");
}

// One stop for the Tab key in a whole list; the arrow keys go on from there.
export function visit(buttons, stop) {
  for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
}

export function walk(event, buttons) {
  const here = buttons.indexOf(event.target);
  const there = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (here < 0 || there === undefined || buttons[there] === undefined) return;
  event.preventDefault();
  visit(buttons, buttons[there]);
  buttons[there].focus();
}
