/** What a parser of ISO 8601 would read besides, such as `20260131` or `24:00`, is more often a mistake than meant. */
const pattern =
  /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:\.\d{1,3})?))?(Z|[+-]\d\d:\d\d)?)?$/;

/** As far from UTC as any place on Earth. */
const realOffset = /^(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))$/;

const dayMs = 86_400_000;

function formatIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
    timeZone,
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}

/** Whether there is such a place: an offset is none, though it can be formatted in. */
export function isTimeZone(name: string): boolean {
  try {
    return !/^[+-]/.test(name) && formatIn(name) !== undefined;
  } catch {
    return false;
  }
}

/** Milliseconds that the clocks of a place are ahead of UTC. */
function offsetAt(ms: number, format: Intl.DateTimeFormat): number {
  const parts: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(ms)) parts[type] = value;
  const { era, year, month, day, hour, minute, second } = parts;
  // `Date.UTC` takes the years up to 99 for others.
  const clock = new Date(0).setUTCFullYear(
    era!.startsWith("B") ? 1 - Number(year) : Number(year),
    Number(month) - 1,
    Number(day),
  ) + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  return clock - Math.floor(ms / 1000) * 1000;
}

/** When the clocks of a place show that: the first time if twice, just past the gap if never. */
function instantOf(clockMs: number, timeZone: string): number {
  const format = formatIn(timeZone);
  const before = offsetAt(clockMs - dayMs, format);
  const instants = [before, offsetAt(clockMs + dayMs, format)].map((offset) => clockMs - offset)
    .filter((ms) => offsetAt(ms, format) === clockMs - ms);
  return instants.length === 0 ? clockMs - before : Math.min(...instants);
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
  const [, date, hour = "00", minute = "00", second = "00", offset] = pattern.exec(text) ?? [];
  const clockMs = Date.parse(`${date}T${hour}:${minute}:${second}Z`);
  // A day that its month does not have is read as one of the next.
  if (date === undefined || !new Date(clockMs || 0).toJSON().startsWith(date)) {
    throw new RangeError(
      `must be a date such as 2026-01-31 or a time such as 2026-01-31T08:30Z, got ${
        JSON.stringify(text)
      }`,
    );
  }
  if (offset === undefined) return instantOf(clockMs, timeZone);
  if (!realOffset.test(offset)) {
    throw new RangeError(
      `must have an offset from -14:00 to +14:00, got ${JSON.stringify(offset)}`,
    );
  }
  if (offset === "Z") return clockMs;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4));
  return clockMs - Number(`${offset[0]}1`) * minutes * 60_000;
}
