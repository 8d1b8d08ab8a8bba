const units = [["ns", 1e-6], ["µs", 1e-3], ["ms", 1], ["s", 1e3]] as const;

/** Three significant digits, never in exponents, so that columns of them line up. */
export function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

/** Writes a duration in the unit that suits it, such as `12.3 ms` or `1.07 s`. */
export function formatDuration(milliseconds: number): string {
  // Half a digit of slack: 999.9 µs must become 1.00 ms and not 1000 µs.
  const [unit, size] = units.findLast(([, size]) => milliseconds >= size * 0.9995) ?? units[0];
  return `${threeDigits(milliseconds / size)} ${unit}`;
}
