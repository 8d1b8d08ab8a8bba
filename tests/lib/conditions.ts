import process from "node:process";
import type { Operator } from "./operator.ts";
import { isProbing } from "./probing.ts";
import { isQuick, isThorough } from "./thorough.ts";
import type { Way } from "./ways.ts";

/** Under what a law is tried. */
export interface Condition {
  /** The high-water mark of every queue that may have it: one that is written to has room for one chunk at least. */
  readonly mark: number;
  /** How many chunks the source gives when it is asked for one. */
  readonly burst: number;
}

/** workerd takes ten times as long for each, and the timers of a page are slow, too. */
const isSlow = globalThis.navigator?.userAgent === "Cloudflare-Workers" ||
  "fewerConditions" in globalThis;

const marks = [0, 1, 2, 16];
const bursts = [1, 5];

function chooseConditions(): readonly Condition[] {
  if (isSlow || isQuick || (isProbing && !isThorough)) {
    return [{ mark: 0, burst: 1 }, { mark: 16, burst: 5 }];
  }
  if (isThorough) return marks.flatMap((mark) => bursts.map((burst) => ({ mark, burst })));
  return marks.map((mark, index) => ({ mark, burst: bursts[index % bursts.length]! }));
}

/**
 * Every condition under which a law holds. The gate tries each mark with one burst; the library's tests alone, those with
 * probes and those where each takes long try the two that differ most.
 */
export const conditions: readonly Condition[] = chooseConditions();

/**
 * Bun 1.4 goes on transforming chunks that wait while `cancel` runs; the readable side being closed, `enqueue` throws,
 * and that becomes the reason that the source is given. Where no chunk waits it cannot.
 */
function conditionsOf(way: Way, operator: Operator): readonly Condition[] {
  const isBroken = way.name === "native" && process.versions.bun !== undefined &&
    operator.make().cancel !== undefined;
  return isBroken ? conditions.filter(({ mark, burst }) => mark + burst === 1) : conditions;
}

/** Tries a law under every condition, all at once; a failure says under which. */
export async function underAllConditions(
  way: Way,
  operator: Operator,
  law: (condition: Condition) => Promise<void>,
): Promise<void> {
  await Promise.all(
    conditionsOf(way, operator).map(async (condition) => {
      try {
        await law(condition);
      } catch (cause) {
        const { mark, burst } = condition;
        const message = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`with highWaterMark ${mark} and bursts of ${burst}: ${message}`, { cause });
      }
    }),
  );
}
