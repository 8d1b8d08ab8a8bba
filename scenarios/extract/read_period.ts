import { parseInstant } from "./parse_instant.ts";
import type { Period } from "./period.ts";
import { seedStartMs } from "./seed/seed_contacts.ts";
import { UsageError } from "../command_line/usage_error.ts";
import { sample } from "./sample.ts";

/** The flags that make a period. */
export interface PeriodFlags {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly "time-zone": string | undefined;
}

function checkZone(timeZone: string): void {
  if (typeof Temporal === "undefined") {
    throw new UsageError("Times need Temporal, which Deno 2.9, Bun 1.4 and Node 26 have");
  }
  try {
    // An offset is no place, though Temporal takes one.
    if (/^[+-]/.test(timeZone)) throw new RangeError();
    new Temporal.ZonedDateTime(0n, timeZone);
  } catch {
    throw new UsageError(
      `--time-zone must be an IANA time zone such as UTC or Europe/Zurich, got ${timeZone}`,
    );
  }
}

/**
 * Reads a period from flags; where there is none the sample's is taken, if the sample is the source.
 *
 * @throws {UsageError} If a date or the zone is none, or the period is empty.
 */
export function readPeriod(flags: PeriodFlags, isSample: boolean): Period {
  const timeZone = flags["time-zone"] ?? "UTC";
  checkZone(timeZone);
  const read = (name: "from" | "to", sampleMs: number): number => {
    const text = flags[name];
    if (text === undefined && isSample) return sampleMs;
    if (text === undefined) {
      throw new UsageError(`--${name} is needed: a date such as 2026-01-31, or a time`);
    }
    try {
      return parseInstant(text, timeZone);
    } catch (error) {
      throw new UsageError(`--${name} ${(error as Error).message}`);
    }
  };
  const fromMs = read("from", seedStartMs);
  const toMs = read("to", seedStartMs + sample.days * 86_400_000);
  if (toMs <= fromMs) {
    const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
    throw new UsageError(`--to must be after --from, got ${to} and ${from}`);
  }
  return { fromMs, toMs };
}
