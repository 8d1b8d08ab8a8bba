/** What Temporal would read besides, such as `20260131` or `24:00`, is more often a mistake than meant. */
const pattern = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::[0-5]\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** As far from UTC as any place on Earth. */
const realOffset = /^(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))$/;

function readClock(text: string): Temporal.PlainDateTime | undefined {
  try {
    return pattern.test(text)
      ? Temporal.PlainDateTime.from(text.replace(/(?:Z|[+-]\d\d:\d\d)$/, ""))
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads a date or a time, such as `2026-01-31`, `2026-01-31T08:30` or `2026-01-31T08:30:00Z`, as
 * milliseconds since the epoch. Where it has no offset of its own, it is what the clocks of
 * `timeZone` show: the first time if they show it twice, just past the gap if they never do; a date
 * alone is its midnight.
 *
 * @throws {RangeError} If it is neither, or if there is no such time zone.
 */
export function parseInstant(text: string, timeZone: string): number {
  const clock = readClock(text);
  if (clock === undefined) {
    throw new RangeError(
      `must be a date such as 2026-01-31 or a time such as 2026-01-31T08:30Z, got ${
        JSON.stringify(text)
      }`,
    );
  }
  const offset = pattern.exec(text)![1];
  if (offset === undefined) return clock.toZonedDateTime(timeZone).epochMilliseconds;
  if (!realOffset.test(offset)) {
    throw new RangeError(
      `must have an offset from -14:00 to +14:00, got ${JSON.stringify(offset)}`,
    );
  }
  return Temporal.Instant.from(text).epochMilliseconds;
}
