// Read before a test file: makes every timer of its process take HOSEPIPE_SLOW_TIMERS times as long. Bun and Deno leave
// what is imported from node:timers as it is.
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";
import timers from "node:timers";
import promises from "node:timers/promises";

const factor = Number(process.env.HOSEPIPE_SLOW_TIMERS ?? 1);
const longestMs = 2 ** 31 - 1;

/** Multiplies the delay, which is the argument of that index. */
function slow(target, name, index = 1) {
  const original = target[name];
  const slowed = function (...args) {
    const ms = args[index];
    // A delay that is too long for a timer fires at once: then as now.
    if (ms <= longestMs) args[index] = Math.min(factor * ms, longestMs);
    return Reflect.apply(original, this, args);
  };
  // With what belongs to it, such as its promises' form.
  Object.defineProperties(slowed, Object.getOwnPropertyDescriptors(original));
  target[name] = slowed;
}

for (const name of ["setTimeout", "setInterval"]) {
  slow(globalThis, name);
  slow(timers, name);
  slow(promises, name, 0);
}
slow(promises.scheduler, "wait", 0);
slow(AbortSignal, "timeout", 0);
syncBuiltinESMExports?.();
