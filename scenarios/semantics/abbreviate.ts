/** Where the values from `start` on stop being at the distance that the first two of them have. */
function endOfSteps(values: readonly (number | string)[], start: number): number {
  const [first, second] = [values[start], values[start + 1]];
  if (typeof first !== "number" || typeof second !== "number") return start + 1;
  let end = start + 2;
  while (end < values.length && values[end] === first + (second - first) * (end - start)) end++;
  return end;
}

/** Writes a row of values in short: `3×yes 2×no`, and `4…-2` for four numbers or more of equal distance. */
export function abbreviate(values: readonly (number | string)[]): string {
  const parts: string[] = [];
  for (let start = 0; start < values.length;) {
    const first = values[start]!;
    const stop = values.findIndex((value, index) => index > start && value !== first);
    const equal = (stop === -1 ? values.length : stop) - start;
    const steps = endOfSteps(values, start) - start;
    if (equal > 1) parts.push(`${equal}×${first}`);
    else if (steps > 3) parts.push(`${first}…${values[start + steps - 1]}`);
    else parts.push(String(first));
    start += equal > 1 ? equal : steps > 3 ? steps : 1;
  }
  return parts.join(" ");
}
