/** The smallest step that a clock was seen to make, in the clock's own unit. */
export function timerTick(now: () => number, readings = 20_000): number {
  let smallest = Infinity;
  let previous = now();
  for (let reading = 0; reading < readings || smallest === Infinity; reading++) {
    const current = now();
    if (current > previous) smallest = Math.min(smallest, current - previous);
    previous = current;
  }
  return smallest;
}
