import type { ProbedKind } from "@hosepipe/streams";
import { type HoseView, hoseView, type Marks } from "../hose/hose_view.ts";
import type { Progress } from "../hose/hose.tsx";
import { GateClock } from "./gate_clock.ts";
import { RecentBottleneck } from "./recent_bottleneck.ts";
import { Recorded } from "./recorded.ts";

/** How long each call of a stage takes, in milliseconds of the clock; asked again for each call. */
export interface Paces {
  readonly reader: () => number;
  readonly transformer: () => number;
  readonly writer: () => number;
}

const kinds: readonly ProbedKind[] = ["reader", "transformer", "writer"];

/** Real streams, `ReadableStream` to `TransformStream` to `WritableStream`, whose every call waits for a clock. */
export class NativePipeline {
  readonly clock: GateClock = new GateClock();
  readonly recorded: Recorded = new Recorded(this.clock);
  readonly marks: Marks;
  readonly bottleneck: RecentBottleneck = new RecentBottleneck(this.recorded.look, kinds);
  readonly #stop = new AbortController();

  constructor(marks: Readonly<Record<keyof Marks, number>>, paces: Paces) {
    this.marks = marks;
    const { clock, recorded: { look } } = this;
    const strategy = { highWaterMark: marks.readerOut };
    const writableStrategy = { highWaterMark: marks.transformerIn };
    const readableStrategy = { highWaterMark: marks.transformerOut };
    const writerStrategy = { highWaterMark: marks.writerIn };
    let read = 0;
    const readable = new ReadableStream(
      look.reader<number>({
        async pull(controller) {
          await clock.sleep(paces.reader(), "reader");
          controller.enqueue(++read);
        },
      }, { strategy }),
      strategy,
    );
    const transform = new TransformStream<number, number>(
      look.transformer<number, number>({
        async transform(chunk, controller) {
          await clock.sleep(paces.transformer(), "transformer");
          controller.enqueue(chunk);
        },
      }, { writableStrategy, readableStrategy }),
      writableStrategy,
      readableStrategy,
    );
    const writable = new WritableStream<number>(
      look.writer<number>({ write: () => clock.sleep(paces.writer(), "writer") }, {
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
    return hoseView(shown.value?.occupancy ?? look.occupancy(), this.marks);
  }

  /** How far each call is; nothing of the past. */
  progress(): Progress | undefined {
    return this.recorded.shown.value === undefined ? this.clock.progress() : undefined;
  }

  /** Ends it. */
  stop(): void {
    this.#stop.abort();
    this.clock.stop();
  }
}
