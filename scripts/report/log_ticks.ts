const steps = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7]];

function ticksOf(low: number, high: number, digits: readonly number[]): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    // Through text, since 3 * 10 ** -4 is not 0.0003.
    for (const digit of digits) ticks.push(Number(`${digit}e${power}`));
  }
  return ticks.filter((tick) => tick >= low && tick <= high);
}

/** Where a logarithmic axis has its ticks: at round numbers, as few as say enough. */
export function logTicks(low: number, high: number): number[] {
  const candidates = steps.map((digits) => ticksOf(low, high, digits));
  return candidates.find((ticks) => ticks.length >= 4) ?? candidates.at(-1)!;
}
