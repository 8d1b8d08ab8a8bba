import type { Bottleneck, Probe, ProbedKind, StageLoad } from "@hosepipe/streams/inspect";
import { judgeLoads } from "../../src/inspect/bottleneck.ts";
import type { Progress } from "../hose/hose.tsx";
import { type HoseView, hoseView, type Marks } from "../hose/hose_view.ts";
import { GateClock } from "./gate_clock.ts";
import { Recorded } from "./player.ts";

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
class RecentBottleneck {
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

/** How long each call of a stage takes, in milliseconds of the clock; asked again for each call. */
export interface Paces {
  readonly reader: () => number;
  readonly transformer: () => number;
  readonly writer: () => number;
}

/** How the chunks come, and which clock they wait for. */
export interface NativeOptions {
  /** Chunks that one read brings. Default: 1. */
  readonly batchSize?: number;
  /** What a chunk takes up in a buffer, by its number; the marks are in the same unit. Default: 1. */
  readonly size?: (chunk: number) => number;
  /** A clock shared with another pipeline. Default: one of its own. */
  readonly clock?: GateClock;
  /** What its calls are known by on a shared clock. */
  readonly side?: string;
}

const kinds: readonly ProbedKind[] = ["reader", "transformer", "writer"];

/** Real streams, `ReadableStream` to `TransformStream` to `WritableStream`, whose every call waits for a clock. */
export class NativePipeline {
  readonly clock: GateClock;
  readonly recorded: Recorded;
  readonly marks: Marks;
  readonly bottleneck: RecentBottleneck;
  readonly #side: string;
  readonly #size: NativeOptions["size"];
  readonly #stop = new AbortController();

  constructor(
    marks: Readonly<Record<keyof Marks, number>>,
    paces: Paces,
    options: NativeOptions = {},
  ) {
    const { batchSize = 1, size, clock = new GateClock(), side = "" } = options;
    this.marks = marks;
    this.clock = clock;
    this.#side = side;
    this.#size = size;
    this.recorded = new Recorded(clock);
    const { look } = this.recorded;
    this.bottleneck = new RecentBottleneck(look, kinds);
    const strategyOf = (highWaterMark: number): QueuingStrategy<number> =>
      size === undefined ? { highWaterMark } : { highWaterMark, size: (chunk) => size(chunk!) };
    const strategy = strategyOf(marks.readerOut);
    const writableStrategy = strategyOf(marks.transformerIn);
    const readableStrategy = strategyOf(marks.transformerOut);
    const writerStrategy = strategyOf(marks.writerIn);
    let read = 0;
    const readable = new ReadableStream(
      look.reader<number>({
        async pull(controller) {
          await clock.sleep(paces.reader(), `${side}reader`);
          for (let count = 0; count < batchSize; count++) controller.enqueue(++read);
        },
      }, { strategy }),
      strategy,
    );
    const transform = new TransformStream<number, number>(
      look.transformer<number, number>({
        async transform(chunk, controller) {
          await clock.sleep(paces.transformer(), `${side}transformer`);
          controller.enqueue(chunk);
        },
      }, { writableStrategy, readableStrategy }),
      writableStrategy,
      readableStrategy,
    );
    const writable = new WritableStream<number>(
      look.writer<number>({ write: () => clock.sleep(paces.writer(), `${side}writer`) }, {
        strategy: writerStrategy,
      }),
      writerStrategy,
    );
    // It ends only by being stopped.
    readable.pipeThrough(transform).pipeTo(writable, this.#stop).catch(() => {});
  }

  /** What is to be drawn: the present, or what was gone back to. */
  view(): HoseView {
    const { shown, look } = this.recorded;
    return hoseView(shown.value?.occupancy ?? look.occupancy(), this.marks, this.#size);
  }

  /** How far each call is; nothing of the past. */
  progress(): Progress | undefined {
    if (this.recorded.shown.value !== undefined) return undefined;
    const progress = this.clock.progress();
    return Object.fromEntries(
      kinds.flatMap((kind) => {
        const share = progress[`${this.#side}${kind}`];
        return share === undefined ? [] : [[kind, share]];
      }),
    );
  }

  /** Ends it. */
  stop(): void {
    this.#stop.abort();
    this.clock.stop();
  }
}
