const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(timeZone, format);
  }
  return format;
}

/**
 * How far the clocks of a zone are ahead of UTC at an instant, in milliseconds.
 *
 * @throws {RangeError} If this runtime knows no such IANA time zone.
 */
export function zoneOffset(instantMs: number, timeZone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instantMs)) {
    parts[type] = Number(value);
  }
  const { year, month, day, hour, minute, second } = parts as Record<string, number>;
  const clockMs = Date.UTC(year!, month! - 1, day, hour, minute, second);
  return clockMs - Math.floor(instantMs / 1000) * 1000;
}
