import type { CurrentTime } from "./current_time.ts";
import type { RecordedEvent } from "./read_recording.ts";
import { replayChunk } from "./recorded_chunk.ts";

/** The ends of a run, as they were recorded. */
export interface ReplayedEnds {
  /** Gives the chunks at the times at which they were read, then ends or fails as it did. */
  // deno-lint-ignore no-explicit-any -- of any chunks
  readonly source: ReadableStream<any>;
  /** Takes chunks, and answers each at the time at which that write was answered. */
  // deno-lint-ignore no-explicit-any -- of any chunks
  readonly sink: (chunk: any) => void | Promise<void>;
  /** What the sink has been given. */
  readonly written: readonly unknown[];
}

/** Events of a coarse clock share a time, and yet have an order. */
const leastMs = 1e-6;
/** No timer takes less. */
const leastTimerMs = 1;

/** The two ends of a recorded run. */
export class ReplayedRun implements ReplayedEnds {
  readonly source: ReadableStream<unknown>;
  readonly sink: (chunk: unknown) => void | Promise<void>;
  readonly written: unknown[] = [];
  readonly #time: CurrentTime;
  readonly #startMs: number;

  constructor(
    events: readonly RecordedEvent[],
    decode: ((value: never) => unknown) | undefined,
    time: CurrentTime,
  ) {
    this.#time = time;
    this.#startMs = time.now;
    // Decoded before anything runs, so that what cannot be replayed fails at once.
    const reads = events.filter(({ kind, event }) => kind === "reader" && event === "read")
      .map((event, place) => ({ event, chunk: replayChunk(event.chunk!, place + 1, decode) }));
    this.source = this.#openSource(events, reads);
    this.sink = this.#openSink(events);
  }

  #openSource(
    events: readonly RecordedEvent[],
    reads: readonly { readonly event: RecordedEvent; readonly chunk: unknown }[],
  ): ReadableStream<unknown> {
    const end = events.find(({ kind, event }) => kind === "reader" && isEnd(event));
    let place = 0;
    return new ReadableStream({
      pull: async (controller) => {
        const read = reads[place++];
        if (read !== undefined) {
          await this.#until(read.event);
          controller.enqueue(read.chunk);
          return;
        }
        await this.#until(end);
        if (end!.event === "error") throw new Error(end!.reason ?? "the source failed");
        controller.close();
      },
    }, { highWaterMark: 0 });
  }

  #openSink(events: readonly RecordedEvent[]): ReplayedEnds["sink"] {
    const ofSink = events.filter(({ kind }) => kind === "writer");
    const byId = (name: string) =>
      new Map(ofSink.filter(({ event }) => event === name).map((event) => [event.id, event]));
    const [writes, answers] = [byId("write"), byId("written")];
    const end = ofSink.find(({ event }) => isEnd(event));
    const firstOpen = [...writes.keys()].find((id) => !answers.has(id));
    return (chunk) => {
      this.written.push(chunk);
      const id = String(this.written.length);
      const [write, answer] = [writes.get(id), answers.get(id)];
      // A run that differs may write more than was recorded.
      if (write === undefined) return;
      // Nothing happened in between, and no timer can have fired: it may have been answered at once.
      const isQuick = answer?.seq === write.seq + 1 && answer.timeMs - write.timeMs < leastTimerMs;
      if (isQuick) return;
      if (answer !== undefined) return this.#until(answer);
      if (end?.event !== "error" || id !== firstOpen) return this.#until(end);
      return this.#until(end).then(() => {
        throw new Error(end.reason ?? "the sink failed");
      });
    };
  }

  /** Resolves at the point of the event; never, if it has not happened. */
  #until(event: RecordedEvent | undefined): Promise<void> {
    if (event === undefined) return new Promise(() => {});
    const atMs = this.#startMs + event.timeMs + event.seq * leastMs;
    return new Promise((resolve) => this.#time.at(atMs, resolve));
  }
}

function isEnd(event: string): boolean {
  return event === "end" || event === "error" || event === "cancel";
}
