// Amounts that are said with "at least": of three digits, and not below what they stand for.

const DIGITS = 3;
const ROOM = 0.01;  // of the last digit: what is said must hold in spite of rounding
const ROUNDED = 2e-5;  // of an amount: twice what the six digits of a ray in a cone's text may lose of it

const lastDigit = (amount) => 10 ** (Math.floor(Math.log10(amount)) - DIGITS + 1);

const written = (digits, step) => Number((digits * step).toPrecision(DIGITS));

// The next one.
export function above(amount) {
  const step = lastDigit(amount);
  return written(Math.floor(amount / step + ROOM) + 1, step);
}

// The amount itself where it has no more digits, else the next one.
export function atLeast(amount) {
  if (!(amount > 0) || !Number.isFinite(amount)) return amount;
  const step = lastDigit(amount);
  return written(Math.ceil((amount * (1 - ROUNDED)) / step), step);
}
