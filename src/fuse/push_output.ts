import { isPromiseLike } from "../is_promise_like.ts";
import { Fifo } from "./fifo.ts";
import type { Output, Turn } from "./ports.ts";
import type { PushSink } from "./sink.ts";
import type { Ending } from "./stage.ts";

/** What the writing end of a pipeline tells the run. */
export interface OutputEvents {
  /** There is room again, or the turn is over. */
  resume(): void;
  /** Everything is written and the chain has ended. */
  finish(ending: Ending): void;
  /** The sink failed. */
  fail(reason: unknown): void;
}

/** The writing end of a pipeline: hands its sink one chunk at a time, and keeps what comes meanwhile. */
export class PushOutput implements Output {
  readonly measures = false;
  readonly #write: PushSink["write"];
  readonly #turn: Turn;
  readonly #events: OutputEvents;
  readonly #pending = new Fifo();
  #isWriting = false;
  /** Neither is a write in flight nor does a chunk wait: kept, since it is asked for at every chunk. */
  #hasRoom = true;
  #isClosed = false;
  #ending: Ending | undefined;
  /** Chunks that the sink took. */
  chunksWritten = 0;
  /** Fulfils once the write in flight has settled. */
  settled: Promise<void> = Promise.resolve();

  constructor(sink: PushSink, turn: Turn, events: OutputEvents) {
    this.#write = sink.write;
    this.#turn = turn;
    this.#events = events;
    void sink.failure?.then(({ reason }) => events.fail(reason));
    if (sink.ready !== undefined) this.#await(sink.ready, 0);
  }

  hasRoom(): boolean {
    return this.#hasRoom;
  }

  desiredSize(): number {
    return -this.#pending.length;
  }

  write(chunks: readonly unknown[], count: number): void {
    for (let i = 0; i < count; i++) this.writeOne(chunks[i]);
  }

  writeOne(chunk: unknown): void {
    if (this.#hasRoom) this.#writeNow(chunk);
    else if (!this.#isClosed) this.#pending.push(chunk);
  }

  #writeNow(chunk: unknown): void {
    try {
      const write = this.#write;
      const result = write(chunk);
      if (result !== undefined && isPromiseLike(result)) this.#await(result, 1);
      else this.chunksWritten++;
    } catch (reason) {
      this.#events.fail(reason);
    }
  }

  #await(promise: PromiseLike<unknown>, count: number): void {
    this.#isWriting = true;
    this.#hasRoom = false;
    this.settled = Promise.resolve(promise).then(
      () => {
        this.#isWriting = false;
        this.chunksWritten += count;
        this.drain();
        this.#events.resume();
      },
      (reason) => {
        this.#isWriting = false;
        this.#events.fail(reason);
      },
    );
  }

  /** Writes what waits, as far as the sink and the turn allow. */
  drain(): void {
    while (!this.#isWriting && this.#pending.length > 0) {
      if (this.#turn.isOver(1)) return;
      this.#writeNow(this.#pending.shift());
    }
    this.#hasRoom = !this.#isWriting && !this.#isClosed;
    this.#finishIfDrained();
  }

  end(): void {
    this.#ending = { failed: false };
    this.#finishIfDrained();
  }

  fail(reason: unknown): void {
    this.#ending = { failed: true, reason };
    this.#finishIfDrained();
  }

  #finishIfDrained(): void {
    if (this.#ending !== undefined && this.#hasRoom) this.#events.finish(this.#ending);
  }

  /** Takes nothing more, and forgets what waits. */
  close(): void {
    this.#isClosed = true;
    this.#hasRoom = false;
    this.#pending.clear();
  }
}
