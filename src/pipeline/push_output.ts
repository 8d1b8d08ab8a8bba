import { Fifo } from "../fifo.ts";
import type { Ending, Output, TurnBudget } from "../engine/ports.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import type { PushSink } from "./sink.ts";

/** What the writing end of a pipeline asks of the run. */
export interface OutputEvents {
  /** There is room again. */
  resume(): void;
  /** The chain has ended, and everything is handed over. */
  finish(ending: Ending): void;
  /** A write has failed. */
  fail(reason: unknown, write?: PromiseLike<unknown>): void;
}

/** More than a slice holds. */
const hugeCount = 128;

/** The writing end of a pipeline: hands its sink chunk after chunk while it has room, and keeps what comes meanwhile. */
export class PushOutput implements Output {
  readonly isDirect = false;
  isEnded = false;
  readonly #sink: PushSink;
  #write: PushSink["write"];
  readonly #turn: TurnBudget;
  readonly #events: OutputEvents;
  readonly #queue = new Fifo();
  #isWriting = false;
  /** Neither is a write waited for nor does a chunk wait: kept, since it is asked for at every chunk. */
  #hasRoom = true;
  #isClosed = false;
  #ending: Ending | undefined;
  #waiting: PromiseLike<unknown> | undefined;
  #inFlight = 0;
  /** Of a stream, the chunk that it could not write. */
  #refusedIndex: number | undefined;
  /** Chunks that the sink took. */
  chunksWritten = 0;

  constructor(sink: PushSink, turn: TurnBudget, events: OutputEvents) {
    this.#sink = sink;
    this.#write = sink.write;
    this.#turn = turn;
    this.#events = events;
    if (sink.ready !== undefined) this.#await(sink.ready, 0);
  }

  /** The sink was handed the first chunk before, and `answer` says what it did. */
  answerFirst(answer: () => unknown): void {
    const write = this.#write;
    this.#write = () => {
      this.#write = write;
      return answer();
    };
  }

  hasRoom(): boolean {
    return this.#hasRoom;
  }

  desiredSize(): number {
    return 0 - this.#queue.length;
  }

  write(chunks: readonly unknown[], count: number): void {
    // What a stage made of a huge chunk is no slice: how long the sink takes for it is not known.
    const isHuge = count > hugeCount;
    for (let i = 0; i < count; i++) {
      if (isHuge && this.#hasRoom && this.#turn.isOver(1)) this.#pause();
      this.writeOne(chunks[i]);
    }
  }

  writeOne(chunk: unknown): void {
    if (this.#hasRoom) this.#writeNow(chunk);
    else if (!this.#isClosed) this.#queue.push(chunk);
  }

  end(ending: Ending): void {
    this.#ending = ending;
    this.#finishIfDrained();
  }

  /** Writes what waits, as far as the sink and the turn allow. */
  drain(): void {
    while (!this.#isWriting && !this.#isClosed && this.#queue.length > 0) {
      if (this.#turn.isOver(1)) return;
      this.#writeNow(this.#queue.shift());
    }
    this.#hasRoom = !this.#isWriting && !this.#isClosed;
    this.#finishIfDrained();
  }

  /** Hands over what the sink has joined so far, if it has room; otherwise more is joined until then. */
  flush(): void {
    if (!this.#hasRoom) return;
    const written = this.#sink.flush?.();
    if (written instanceof Promise) this.#await(written, 0);
  }

  /** Takes nothing more, and forgets what waits. */
  close(): void {
    this.#isClosed = this.isEnded = true;
    this.#hasRoom = false;
    this.#queue.clear();
  }

  /** The chunk that the sink has failed with, if that is known: of a stream, only where it is given one at a time. */
  get failedIndex(): number | undefined {
    return this.#sink.isStream ? this.#refusedIndex : this.chunksWritten;
  }

  /** Whether what it waits for is room, not one write. */
  get awaitsRoom(): boolean {
    return this.#sink.isStream && this.#sink.takesOne?.() !== true;
  }

  /** What is waited for at this time. */
  get waiting(): PromiseLike<unknown> | undefined {
    return this.#isWriting ? this.#waiting : undefined;
  }

  /** What comes waits until the event loop has had its turn. */
  #pause(): void {
    this.#hasRoom = false;
    this.#events.resume();
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

  // Made once: a write costs no closure.
  readonly #onRoom = (): void => {
    this.#isWriting = false;
    this.#waiting = undefined;
    this.chunksWritten += this.#inFlight;
    try {
      this.drain();
      this.#events.resume();
      this.flush();
    } catch (reason) {
      this.#events.fail(reason);
    }
  };
  readonly #onFailed = (reason: unknown): void => {
    this.#isWriting = false;
    // How a stream fails is heard from the stream itself.
    if (!this.#sink.isStream) this.#events.fail(reason, this.#waiting);
    else if (this.#sink.takesOne?.()) this.#refusedIndex = this.chunksWritten;
  };

  #await(value: PromiseLike<unknown>, count: number): void {
    this.#isWriting = true;
    this.#hasRoom = false;
    this.#inFlight = count;
    try {
      // Kept as a native promise: what else a sink answers is asked once.
      const promise = this.#waiting = Promise.resolve(value);
      promise.then(this.#onRoom, this.#onFailed);
    } catch (reason) {
      this.#isWriting = false;
      throw reason;
    }
  }

  #finishIfDrained(): void {
    if (this.#ending === undefined || this.#queue.length > 0 || this.#isClosed) return;
    // An end needs no room: a stream closes behind what it was handed.
    if (this.#hasRoom || this.#sink.isStream) this.#events.finish(this.#ending);
  }
}
