import { type Signal, signal } from "@preact/signals";
import { GateClock } from "../../gated/gate_clock.ts";
import { Recorded } from "../../gated/recorded.ts";
import { type HoseView, hoseView } from "../../hose/hose_view.ts";
import type { Progress } from "../../hose/hose.tsx";

export const chunkBytes: number = 16 * 1024;
export const markBytes: number = 4 * chunkBytes;
/** A page should not fill its reader's memory: from here on nothing is written for the time being. */
export const mostBytes: number = 64 * 1024 * 1024;

/** A loop that reads chunks and writes them by hand, and may leave out to wait. */
export class HandWritten {
  readonly clock: GateClock = new GateClock();
  readonly recorded: Recorded = new Recorded(this.clock);
  /** Whether it waits for `writer.ready`. */
  readonly waits: Signal<boolean> = signal(true);
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #isStopped = false;

  constructor() {
    const { clock, recorded: { look } } = this;
    const readable = new ReadableStream<Uint8Array>(
      look.reader<Uint8Array>({
        async pull(controller) {
          await clock.sleep(50, "reader");
          controller.enqueue(new Uint8Array(chunkBytes));
        },
      }, { strategy: { highWaterMark: 0 } }),
      { highWaterMark: 0 },
    );
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: markBytes });
    const writable = new WritableStream<Uint8Array>(
      look.writer<Uint8Array>({ write: () => clock.sleep(100, "writer") }, { strategy }),
      strategy,
    );
    this.#writer = writable.getWriter();
    void this.#copy(readable.getReader(), this.#writer);
  }

  async #copy(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    writer: WritableStreamDefaultWriter<Uint8Array>,
  ): Promise<void> {
    while (!this.#isStopped) {
      if (this.waits.value) await writer.ready;
      else if (this.bytes() >= mostBytes) {
        await this.clock.sleep(100);
        continue;
      }
      const { value } = await reader.read();
      void writer.write(value);
    }
  }

  /** The bytes that wait, those being written included. */
  bytes(): number {
    return markBytes - this.desiredSize();
  }

  /** What the stream itself says. */
  desiredSize(): number {
    return this.#writer.desiredSize ?? 0;
  }

  /** What is to be drawn, in chunks. A chunk that is read is written at once. */
  view(): HoseView {
    const { shown, look } = this.recorded;
    const occupancy = shown.value?.occupancy ?? look.occupancy();
    const { readerOut, writerIn } = occupancy;
    return hoseView({ ...occupancy, readerOut: 0, writerIn: writerIn + readerOut }, {
      readerOut: undefined,
      transformerIn: undefined,
      transformerOut: undefined,
      writerIn: markBytes / chunkBytes,
    });
  }

  progress(): Progress | undefined {
    return this.recorded.shown.value === undefined ? this.clock.progress() : undefined;
  }

  stop(): void {
    this.#isStopped = true;
    this.clock.stop();
  }
}
