import { zoneOffset } from "./zone_offset.ts";

const pattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(Z|[+-]\d\d:\d\d)?)?$/;
const dayMs = 86_400_000;

function clockOf(match: RegExpExecArray): number | undefined {
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((text) =>
    Number(text ?? 0)
  );
  const fraction = Number((match[7] ?? "").padEnd(3, "0"));
  const clock = Date.UTC(year!, month! - 1, day, hour, minute, second, fraction);
  // Date.UTC rolls February 30 over into March; what reads back differently was never a date.
  const [date, time] = new Date(clock).toISOString().split("T") as [string, string];
  const isReal = date === match[0].slice(0, 10) &&
    time.startsWith(`${match[4] ?? "00"}:${match[5] ?? "00"}:${match[6] ?? "00"}`);
  return isReal ? clock : undefined;
}

/** As far from UTC as any place on Earth. */
const mostMinutes = 14 * 60;

function offsetOf(text: string): number {
  if (text === "Z") return 0;
  const [hours, rest] = [Number(text.slice(1, 3)), Number(text.slice(4, 6))];
  const minutes = hours * 60 + rest;
  if (rest > 59 || minutes > mostMinutes) {
    throw new RangeError(`must have an offset from -14:00 to +14:00, got ${JSON.stringify(text)}`);
  }
  return (text[0] === "-" ? -minutes : minutes) * 60_000;
}

/** The instant at which a zone's clocks show `clock`: the first, if twice; just past the gap, if never. */
function instantOf(clock: number, timeZone: string): number {
  const before = zoneOffset(clock - dayMs, timeZone);
  const after = zoneOffset(clock + dayMs, timeZone);
  const candidates = [clock - before, clock - after].sort((one, other) => one - other);
  return candidates.find((instant) => instant + zoneOffset(instant, timeZone) === clock) ??
    clock - before;
}

/**
 * Reads a date or a time, such as `2026-01-31`, `2026-01-31T08:30` or `2026-01-31T08:30:00Z`, as
 * milliseconds since the epoch. Where it has no offset of its own, it is what the clocks of
 * `timeZone` show; a date alone is its midnight.
 *
 * @throws {RangeError} If it is neither, or if there is no such time zone.
 */
export function parseInstant(text: string, timeZone: string): number {
  const match = pattern.exec(text);
  const clock = match === null ? undefined : clockOf(match);
  if (match === null || clock === undefined) {
    throw new RangeError(
      `must be a date such as 2026-01-31 or a time such as 2026-01-31T08:30Z, got ${
        JSON.stringify(text)
      }`,
    );
  }
  return match[8] === undefined ? instantOf(clock, timeZone) : clock - offsetOf(match[8]);
}
