import { Random } from "../chains/random.ts";
import type { Act, Script, Step } from "./script.ts";

function acts(random: Random, ...rare: Act[]): Act[] {
  const length = random.pick(0, 1, 1, 1, 2, 2, 3);
  return Array.from(
    { length },
    () => random.chance(0.15) ? random.pick(...rare) : random.pick("enqueue", "enqueue", "tick"),
  );
}

/** The script of a seed. */
export function randomScript(seed: number): Script {
  const random = new Random(seed);
  const ends: Act[] = ["error", "terminate", "throw", "hold"];
  const step = (): Step =>
    random.chance(0.12)
      ? random.pick("close", "abort", "cancel", "error", "terminate")
      : random.pick(
        "write",
        "write",
        "read",
        "read",
        "enqueue",
        "look",
        "release",
        "tick",
        "tick",
        "turn",
      );
  return {
    start: random.chance(0.6) ? [] : acts(random, ...ends),
    transform: Array.from({ length: random.upTo(3) }, () => acts(random, ...ends)),
    flush: random.chance(0.4) ? null : acts(random, ...ends),
    cancel: random.chance(0.4) ? null : acts(random, "error", "throw", "hold", "terminate"),
    writableMark: random.pick(null, null, 0, 1, 2, 7),
    readableMark: random.pick(null, null, 0, 1, 2, 7),
    hasSize: random.chance(0.2),
    steps: Array.from({ length: 3 + random.upTo(12) }, step),
  };
}
