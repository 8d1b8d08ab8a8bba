import { asyncDispose } from "../async_dispose.ts";
import { createDeferred, type Deferred } from "../deferred.ts";
import { operator } from "../kernels/operator.ts";
import type { Transformer } from "../web_types.ts";
import { gather, readGatherCall } from "./gather.ts";
import type { Gather } from "./gather_signatures.ts";

type Result = IteratorResult<unknown, undefined>;

const done: Result = { done: true, value: undefined };

/** Runs a chain, behind which comes `last`, and hands to `take` what comes out; settles when that has ended. */
type RunChain = (
  last: Transformer<unknown, unknown>,
  take: (chunk: unknown) => void | Promise<void>,
) => Promise<void>;

/** Iterates over what comes out of a run: nothing is read while it is not asked for a chunk. */
class ChainIterator implements AsyncGenerator<unknown, undefined, undefined> {
  readonly #run: RunChain;
  #state: "new" | "running" | "ending" | "over" = "new";
  readonly #asked: Deferred<Result>[] = [];
  /** Lets the run go on. */
  #resume: (() => void) | undefined;
  /** Ends it as a stage does that has enough. */
  #terminate: (() => void) | undefined;
  #ended: Promise<void> | undefined;
  #failure: { readonly reason: unknown } | undefined;

  constructor(run: RunChain) {
    this.#run = run;
  }

  next(): Promise<Result> {
    if (this.#state === "ending") return this.#ended!.then(() => done);
    if (this.#state === "over") return this.#answerLast();
    const asked = createDeferred<Result>();
    this.#asked.push(asked);
    if (this.#state === "new") this.#begin();
    else this.#resume?.();
    return asked.promise;
  }

  async return(): Promise<Result> {
    if (this.#state === "running") {
      this.#state = "ending";
      this.#terminate?.();
      this.#resume?.();
    } else if (this.#state === "new") this.#state = "over";
    await this.#ended;
    return await this.#answerLast();
  }

  async throw(reason: unknown): Promise<Result> {
    await this.return();
    throw reason;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [asyncDispose](): Promise<void> {
    await this.return();
  }

  #begin(): void {
    this.#state = "running";
    const last = operator<unknown, unknown>((controller) => {
      const stop = (): void => void (this.#terminate = undefined);
      this.#terminate = () => controller.terminate();
      return {
        transform: (chunk) => controller.enqueue(chunk),
        flush: stop,
        cancel: stop,
      };
    }, { name: "iterate", remembers: "nothing" });
    this.#ended = this.#run(last, this.#take)
      .catch((reason) => void (this.#failure = { reason }))
      .then(() => {
        this.#state = "over";
        for (const asked of this.#asked.splice(0)) asked.resolve(this.#answerLast());
      });
  }

  readonly #take = (chunk: unknown): void | Promise<void> => {
    // What was on its way when the end came is dropped.
    if (this.#state !== "running") return;
    this.#asked.shift()!.resolve({ done: false, value: chunk });
    if (this.#asked.length > 0) return;
    return new Promise((resolve) => this.#resume = resolve);
  };

  /** The failure, once; then the end. */
  #answerLast(): Promise<Result> {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure === undefined ? Promise.resolve(done) : Promise.reject(failure.reason);
  }
}

/**
 * Runs a job as `pipeline` does, without a sink, and gives what comes out as an async iterator, for `for await`.
 *
 * It begins with the first `next()`, and reads no chunk while none is asked for. A loop that is left early ends the run
 * as `take` does: the source is cancelled, and the loop waits for that. A failure rejects the `next()` that comes to it,
 * after all chunks before it; when `signal` aborts, within a turn of the event loop, even if something hangs.
 *
 * @param source What `pipeline` reads from.
 * @param stages Transformers and pairs of streams, as in `pipeline`.
 * @param options Last, and optional: those of every run, such as `signal` and `runName`.
 * @returns An async iterator, for one loop; also for `await using`.
 * @throws {TypeError} If an option is unknown. The first `next()` rejects with one if source, a stage or an option is of
 * the wrong kind, or a stream is locked.
 *
 * @example Rows until one is enough
 * ```ts
 * import { iterate, parseNdjson } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const body = new Blob(['{"id":1}\n{"id":2}\n{"id":3}\n']);
 * const ids: number[] = [];
 * for await (const { id } of iterate(body, parseNdjson<{ id: number }>())) {
 *   ids.push(id);
 *   if (id === 2) break;
 * }
 *
 * assert.deepEqual(ids, [1, 2]);
 * ```
 */
export const iterate: Gather<"iterate"> = iterateChain as Gather<"iterate">;

function iterateChain(...args: unknown[]): ChainIterator {
  const call = readGatherCall(ChainIterator.prototype.next, "iterate", [], args);
  return new ChainIterator((last, take) => {
    // The name by which a run that waits lists its sink.
    const loop = (chunk: unknown) => take(chunk);
    return gather({ ...call, stages: [...call.stages, last] }, loop);
  });
}
