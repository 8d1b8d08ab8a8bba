import { checkFunction, throwTypeError } from "../errors.ts";
import { anything, integer, readOptions } from "../read_options.ts";
import { checkSkip } from "./check_skip.ts";
import { type BrokenLaw, type CheckResult, LawResult } from "./law_types.ts";
import {
  type CheckedQueue,
  type CheckQueueOptions,
  type QueueLaw,
  QueueLawRun,
  QueueLawSkip,
  QueueLawUnclear,
} from "./queue_law_run.ts";
import { queueLaws } from "./queue_laws.ts";

const action = "check queue";

/** Throws unless that is two workers' sight of a queue. */
function checkMadeQueue(made: unknown): asserts made is CheckedQueue {
  if (made === null || typeof made !== "object") {
    throwTypeError(action, "makeQueue's result", "an object with one and other", made);
  }
  const { one, other, remake, end } = made as Partial<CheckedQueue>;
  checkFunction(action, "one.receive", one?.receive);
  checkFunction(action, "other.receive", other?.receive);
  if (remake !== undefined) checkFunction(action, "remake", remake);
  if (end !== undefined) checkFunction(action, "end", end);
}

/** A lease that does not end while a law is tried, however slow the machine. */
const longLeaseMs = 120_000;
/** How often a law is tried, with a longer lease each time, if the machine is too slow. */
const mostTries = 4;

/** Rejects if it takes longer; a queue may never answer. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It has not ended after ${ms} ms`)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Tries one law on a queue of its own. */
async function tryLaw(
  law: QueueLaw,
  { one, other, remake, end }: CheckedQueue,
  leaseMs: number,
  timeoutMs: number,
): Promise<void> {
  const run = async () => {
    await one.open(leaseMs);
    await other.open(leaseMs);
    await law.run(new QueueLawRun({ one, other, remake }, leaseMs, timeoutMs), one, other);
    await one.close();
    await other.close();
  };
  const shortMs = law.hasShortLease ? leaseMs : 0;
  try {
    await within(10 * timeoutMs + 20 * shortMs, run());
  } catch (error) {
    await Promise.allSettled([one.close(), other.close()]);
    throw error;
  } finally {
    await end?.();
  }
}

/**
 * Runs a queue through the laws of queues: what a `Consumer` relies on, and what senders are promised. Each law has a
 * new queue, two workers, and real time.
 *
 * The laws: `delivery`, `content` (text comes as it was sent), `refusal` (what cannot is a `TypeError`), `ack`, `nack`,
 * `fail`, `lease`, `stale` (who has lost a lease does nothing to the next), `extend`, `isolate`, `deadLetter`; `wait`,
 * `abandon`, `size` (of `maxBytes`), `workers`, `remade` (a queue that is deleted and made again); `ids`,
 * `remembering`, `notBefore`, `keys`, `keyOrder`, `age`, `options` (of `send`); `reasons` (whatever was thrown), `letters` and `replay` (of `dead`). What
 * a queue has not, such as an option of `send` that it refuses by name, is skipped with that reason.
 *
 * @param makeQueue Makes a new, empty queue of text that hands messages out for `leaseMs` milliseconds, as two workers
 * see it; called once or more for each law.
 * @param options `leaseMs`: how long a short lease is, in milliseconds (default: 1,000; on a busy machine longer ones
 * are tried, too); `timeoutMs`: how long a message that must come is waited for, in milliseconds (default: 20,000);
 * `skip`: reasons of laws that do not apply, by name (default: none).
 * @returns The laws held, skipped and failed, the last with what was done; `throwIfFailed()` for tests.
 * @throws {TypeError} If an option or a law's name is unknown, or something is of the wrong type.
 * @throws {RangeError} If `leaseMs` or `timeoutMs` is not a positive integer.
 *
 * @example A queue that takes what is given back for done
 * ```ts
 * import { checkQueue } from "@hosepipe/streams/testing";
 * import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
 * import { DatabaseSync } from "node:sqlite";
 * import assert from "node:assert/strict";
 *
 * const result = await checkQueue(() => {
 *   const database = new DatabaseSync(":memory:");
 *   const [one, other] = [1, 2].map(() => sqliteQueue<string>(database, { table: "t" }));
 *   return { one: Object.assign(one!, { nack: one!.ack }), other: other! };
 * }, { timeoutMs: 2_000 });
 *
 * assert.deepEqual(result.failed[0]?.law, "nack");
 * assert.deepEqual(result.skipped.remade, "remake is not given");
 * assert.throws(() => result.throwIfFailed(), /0 of 2 messages came within 2000 ms/);
 * ```
 */
export async function checkQueue(
  makeQueue: (leaseMs: number) => CheckedQueue | Promise<CheckedQueue>,
  options: CheckQueueOptions = {},
): Promise<CheckResult> {
  checkFunction(action, "makeQueue", makeQueue);
  const { leaseMs, timeoutMs, skip = {} } = readOptions(action, options, {
    leaseMs: integer(1_000),
    timeoutMs: integer(20_000),
    skip: anything(),
  });
  checkSkip(action, skip, Object.keys(queueLaws));
  const skipped: Record<string, string> = { ...skip };
  const held: string[] = [];
  const failed: BrokenLaw[] = [];
  for (const [name, law] of Object.entries(queueLaws)) {
    if (skipped[name] !== undefined) continue;
    let shortMs = leaseMs;
    for (let tries = 1;; tries++) {
      const lawLeaseMs = law.hasShortLease ? shortMs : longLeaseMs;
      const made = await makeQueue(lawLeaseMs);
      checkMadeQueue(made);
      try {
        await tryLaw(law, made, lawLeaseMs, timeoutMs);
        held.push(name);
      } catch (error) {
        if (error instanceof QueueLawUnclear && tries < mostTries) {
          shortMs *= 3;
          continue;
        }
        if (error instanceof QueueLawSkip) skipped[name] = error.message;
        else if (error instanceof QueueLawUnclear) skipped[name] = "the machine was too busy";
        else {
          const problem = error instanceof Error ? error.message : String(error);
          failed.push({ law: name, program: law.program, problem });
        }
      }
      break;
    }
  }
  return new LawResult("queue", held, skipped, failed);
}
