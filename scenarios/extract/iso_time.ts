const minuteMs = 60_000;
let lastMinute = NaN;
let lastPrefix = "";

/** A time as `toISOString` gives it; the next one is mostly of the same minute, which is then kept. */
export function isoTime(timeMs: number): string {
  const minute = Math.floor(timeMs / minuteMs);
  if (minute !== lastMinute) {
    lastPrefix = new Date(timeMs).toISOString().slice(0, -"00.000Z".length);
    lastMinute = minute;
  }
  // The one in front keeps the zeros.
  const digits = String(100_000 + timeMs - minute * minuteMs);
  return `${lastPrefix}${digits.slice(1, 3)}.${digits.slice(3)}Z`;
}
