import type { Bottleneck, Probe, ProbedKind, StageLoad } from "@hosepipe/streams";
import { judgeLoads } from "../../src/probe/bottleneck.ts";

interface Sample {
  readonly timeMs: number;
  readonly loads: readonly StageLoad[];
}

/** Of how many milliseconds the sentence speaks. */
const windowMs = 6000;
const sampleEveryMs = 300;
const standsMs = 500;

/** What a share, taken since the start at two times, was in between. */
function between(
  before: Sample,
  now: Sample,
  index: number,
  of: (load: StageLoad) => number | undefined,
): number | undefined {
  const share = of(now.loads[index]!);
  if (share === undefined) return undefined;
  const earlier = before.loads[index] === undefined ? 0 : of(before.loads[index]!) ?? 0;
  const elapsedMs = now.timeMs - before.timeMs;
  return Math.max(0, (share * now.timeMs - earlier * before.timeMs) / elapsedMs);
}

/** The bottleneck of the last seconds; a probe speaks of all the time since it was made. */
export class RecentBottleneck {
  readonly #look: Probe;
  readonly #kinds: readonly ProbedKind[];
  readonly #samples: Sample[] = [{ timeMs: 0, loads: [] }];
  #last: Bottleneck | undefined;
  #lastMs = 0;

  /** `kinds` are those of the probe's stages; its clock must have begun at 0. */
  constructor(look: Probe, kinds: readonly ProbedKind[]) {
    this.#look = look;
    this.#kinds = kinds;
  }

  /** To be asked again and again as the clock moves; while it moves fast, the answer stands for a moment. */
  at(timeMs: number, isMoving = false): Bottleneck {
    if (isMoving && this.#last !== undefined && timeMs - this.#lastMs < standsMs) return this.#last;
    this.#lastMs = timeMs;
    return this.#last = this.#judge(timeMs, this.#samples);
  }

  #judge(timeMs: number, samples: Sample[]): Bottleneck {
    const { stages: loads } = this.#look.bottleneck();
    const now = { timeMs, loads };
    while (samples.length > 1 && samples[1]!.timeMs <= timeMs - windowMs) samples.shift();
    const before = samples[0]!;
    if (timeMs - samples.at(-1)!.timeMs >= sampleEveryMs) samples.push(now);
    if (timeMs === before.timeMs) return this.#look.bottleneck();
    const recent = loads.map((load, index): StageLoad => ({
      stage: load.stage,
      busyShare: Math.min(1, between(before, now, index, ({ busyShare }) => busyShare)!),
      fullnessBefore: between(before, now, index, ({ fullnessBefore }) => fullnessBefore),
      fullnessAfter: between(before, now, index, ({ fullnessAfter }) => fullnessAfter),
    }));
    return judgeLoads(recent, this.#kinds);
  }
}
