import { checkFunction, checkInteger } from "../errors.ts";
import { InFlight } from "../in_flight.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { noteDetail } from "../kernels/failure_detail.ts";
import { nameWith } from "../kernels/name_of_part.ts";
import { AbortableContext, type StageContext } from "../kernels/stage_context.ts";
import type { UnderlyingSink } from "../web_types.ts";
import type { WriterOptions } from "./writer_options.ts";

/**
 * Where the writing stands. `close`, `abort` and the first call that fails each lead from "writing" to the state named
 * for them, a failure also from "closing"; there the calls in flight are waited for. Then it is "ending": what belongs
 * to that state is called, then `release`. Once it has "ended", every answer is the same.
 */
type State = "writing" | "closing" | "aborting" | "failing" | "ending" | "ended";

type End = (() => void | PromiseLike<void>) | undefined;

interface Failure {
  readonly error: unknown;
}

/** The underlying sink behind `writer`, of whichever API: it keeps several writes in flight. */
export class WriteSink<T> implements UnderlyingSink<T> {
  readonly #write: (chunk: T, index: number, context: StageContext) => unknown;
  readonly #options: WriterOptions<T>;
  readonly #context = new AbortableContext(() => this.#controller.signal);
  #controller!: WritableStreamDefaultController;
  #state: State = "writing";
  #index = 0;
  readonly #inFlight: InFlight;
  /** There until the stream has started. */
  started: Promise<void> | undefined;
  /** What is called once nothing is in flight. */
  #end: End;
  #failure: Failure | undefined;
  /** Answers the stream: while "writing" a write that waits for room, and then what waits for the end. */
  #answer: ((failure: Failure | undefined) => void) | undefined;

  /** Throws if `write` or one of the options that it uses is not what it must be. */
  constructor(
    write: (chunk: T, index: number, context: StageContext) => unknown,
    { concurrency = 1, close, abort, release }: WriterOptions<T>,
  ) {
    const action = "create writer";
    checkFunction(action, "write", write);
    checkInteger(action, "concurrency", concurrency, 1, true);
    for (const [name, method] of Object.entries({ close, abort, release })) {
      if (method !== undefined) checkFunction(action, name, method);
    }
    this.#write = write;
    this.#options = { close, abort, release };
    this.#inFlight = new InFlight(concurrency);
  }

  start(controller: WritableStreamDefaultController): void {
    this.#controller = controller;
    this.started = this.#start();
  }

  /** A stream has started three microtasks after its start has settled. */
  async #start(): Promise<void> {
    for (let left = 3; left > 0; left--) await undefined;
    this.started = undefined;
  }

  write(chunk: T): void | Promise<void> {
    // Failed already, but the stream learns of it only at the end.
    if (this.#state !== "writing") return this.#ended();
    try {
      const write = this.#write;
      const result = write(chunk, this.#index++, this.#context);
      if (!isPromiseLike(result)) return;
      // Whatever kind of promise it is: one whose `then` throws is rejected.
      Promise.resolve(result).then(this.#onWritten, this.#onFailed);
    } catch (error) {
      this.#noteChunk(error, this.#index - 1);
      // A write that fails while the stream is being aborted says so, but `abort` is called anyway.
      if (this.#controller.signal.aborted) throw error;
      this.#fail({ error });
      return this.#ended();
    }
    this.#inFlight.begin();
    if (this.#inFlight.isFull) return this.#wait();
  }

  /** What it waits for, once it does. */
  waiting(): string | undefined {
    return this.#inFlight.describe("writes");
  }

  /** Settles once nothing that was begun is in flight, with the failure if one has failed; nothing if that is so. */
  written(): Promise<void> | undefined {
    const isRunning = () => this.#state !== "writing" && this.#state !== "ended";
    if (this.#inFlight.count === 0 && !isRunning() && this.#failure === undefined) return undefined;
    return this.#inFlight.until(() => this.#inFlight.count === 0 && !isRunning()).then(() => {
      if (this.#failure !== undefined) throw this.#failure.error;
    });
  }

  close(): void | Promise<void> {
    if (this.#state === "writing") {
      this.#leave("closing", () => {
        const { close, abort } = this.#options;
        const { aborted, reason } = this.#controller.signal;
        if (!aborted) return close?.();
        // Aborted while it waited: what was written must not look complete.
        this.#failure = { error: reason };
        return abort?.(reason);
      });
    }
    return this.#ended();
  }

  abort(reason: unknown): void | Promise<void> {
    if (this.#state === "writing") {
      this.#context.stop(reason);
      this.#leave("aborting", () => this.#options.abort?.(reason));
    }
    return this.#ended();
  }

  readonly #onWritten = (): void => this.#settle(undefined);
  readonly #onFailed = (error: unknown): void => {
    // Of several writes at a time it is not known which has failed.
    this.#noteChunk(error, this.#inFlight.limit === 1 ? this.#index - 1 : undefined);
    this.#settle({ error });
  };

  #noteChunk(error: unknown, chunkIndex: number | undefined): void {
    noteDetail(error, { name: nameWith("writer", this.#write), chunkIndex });
  }

  /** One call less is in flight. */
  #settle(failure: Failure | undefined): void {
    this.#inFlight.end();
    const state = this.#state;
    const isOpen = state === "writing" || state === "closing";
    if (failure !== undefined && isOpen && !this.#controller.signal.aborted) {
      this.#answer ??= () => this.#controller.error(failure.error);
      this.#fail(failure);
    } else if (state === "writing") this.#reply(failure);
    else this.#endIfSettled();
  }

  #fail(failure: Failure): void {
    this.#failure = failure;
    // Before the signal says so: a listener may end the stream.
    this.#state = "failing";
    this.#context.stop(failure.error);
    this.#leave("failing", undefined);
  }

  #leave(state: State, end: End): void {
    this.#state = state;
    this.#end = end;
    this.#endIfSettled();
  }

  #endIfSettled(): void {
    if (this.#inFlight.count > 0) return;
    this.#state = "ending";
    this.#call(this.#end, () =>
      this.#call(this.#options.release, () => {
        this.#state = "ended";
        this.#inFlight.notifyAll();
        this.#reply(this.#failure);
      }));
  }

  /** Goes on after `method`, at once where that answers at once; the first failure counts. */
  #call(method: End, next: () => void): void {
    try {
      const result = method?.();
      if (isPromiseLike(result)) {
        Promise.resolve(result).catch((error) => void (this.#failure ??= { error })).then(next);
        return;
      }
    } catch (error) {
      this.#failure ??= { error };
    }
    next();
  }

  #reply(failure: Failure | undefined): void {
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(failure);
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#answer = (failure) => failure === undefined ? resolve() : reject(failure.error)
    );
  }

  /** Answers at the end, at once if that has come. */
  #ended(): void | Promise<void> {
    if (this.#state !== "ended") return this.#wait();
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
