import { checkFunction, checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import type { CheckedQueue, CheckQueueOptions } from "./check_queue_types.ts";
import { checkSkip } from "./check_skip.ts";
import { queueLaws } from "./queue_laws.ts";

const action = "check queue";

/** Throws unless what `checkQueue` is given is right. */
export function checkQueueOptions(makeQueue: unknown, options: CheckQueueOptions): void {
  checkFunction(action, "makeQueue", makeQueue);
  checkOptions(action, options, ["leaseMs", "timeoutMs", "skip"]);
  const { leaseMs, timeoutMs, skip } = options;
  if (leaseMs !== undefined) checkInteger(action, "leaseMs", leaseMs, 1);
  if (timeoutMs !== undefined) checkInteger(action, "timeoutMs", timeoutMs, 1);
  if (skip !== undefined) checkSkip(action, skip, Object.keys(queueLaws));
}

/** Throws unless that is two workers' sight of a queue. */
export function checkMadeQueue(made: unknown): asserts made is CheckedQueue {
  if (made === null || typeof made !== "object") {
    throwTypeError(action, "makeQueue's result", "an object with one and other", made);
  }
  const { one, other, remake, end } = made as Partial<CheckedQueue>;
  checkFunction(action, "one.receive", one?.receive);
  checkFunction(action, "other.receive", other?.receive);
  if (remake !== undefined) checkFunction(action, "remake", remake);
  if (end !== undefined) checkFunction(action, "end", end);
}
