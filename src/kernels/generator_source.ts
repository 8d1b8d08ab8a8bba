import { createDeferred, type Deferred } from "../deferred.ts";

type Result = IteratorResult<unknown, unknown>;

/** How a source ends: with a reason if it fails. */
export interface SourceEnd {
  readonly reason?: unknown;
}

function ignore(): void {}

/** The chunks of a stage as its generator asks for them. */
export class GeneratorSource {
  /** What the generator iterates. */
  readonly iterator: AsyncIterableIterator<unknown> = {
    next: () => this.#next(),
    return: (value) => {
      this.end({});
      return Promise.resolve({ done: true, value });
    },
    [Symbol.asyncIterator]: () => this.iterator,
  };
  readonly #onAsked: () => void;
  readonly #asked: Deferred<Result>[] = [];
  /** A chunk that came before the generator has asked. */
  #held: Result | undefined;
  #end: SourceEnd | undefined;

  /** `onAsked` is called when the generator waits for a chunk. */
  constructor(onAsked: () => void) {
    this.#onAsked = onAsked;
  }

  /** Whether the generator waits for a chunk. */
  get isAsked(): boolean {
    return this.#asked.length > 0;
  }

  give(value: unknown): void {
    const result = { done: false, value };
    const asked = this.#asked.shift();
    if (asked !== undefined) asked.resolve(result);
    else if (this.#end === undefined) this.#held = result;
  }

  /** No chunk follows; the first end counts. */
  end(end: SourceEnd): void {
    this.#held = undefined;
    end = this.#end ??= end;
    for (const { promise, resolve, reject } of this.#asked.splice(0)) {
      if (!("reason" in end)) resolve({ done: true, value: undefined });
      else {
        reject(end.reason);
        // The generator may not look at it any more.
        promise.catch(ignore);
      }
    }
  }

  #next(): Promise<Result> {
    const held = this.#held;
    if (held !== undefined) {
      this.#held = undefined;
      return Promise.resolve(held);
    }
    const asked = createDeferred<Result>();
    this.#asked.push(asked);
    if (this.#end !== undefined) this.end(this.#end);
    else this.#onAsked();
    return asked.promise;
  }
}
