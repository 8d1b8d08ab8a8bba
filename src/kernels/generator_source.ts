type Result = IteratorResult<unknown, unknown>;

/** How a source ends: with a reason if it fails. */
export interface SourceEnd {
  readonly reason?: unknown;
}

/** A question behind another. */
interface Asked {
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
  promise?: Promise<Result>;
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
  /** Most ask one at a time: what settles the first question, and those behind it. */
  #resolve: ((result: Result) => void) | undefined;
  #reject!: (reason: unknown) => void;
  #asked!: Promise<Result>;
  #others: Asked[] | undefined;
  /** A chunk that came before the generator has asked. */
  #held: Result | undefined;
  #end: SourceEnd | undefined;

  /** `onAsked` is called when the generator waits for a chunk. */
  constructor(onAsked: () => void) {
    this.#onAsked = onAsked;
  }

  /** Whether the generator waits for a chunk. */
  get isAsked(): boolean {
    return this.#resolve !== undefined;
  }

  /** Whether it waits for one chunk, and not for several at once. */
  get asksOnce(): boolean {
    return this.#resolve !== undefined && this.#others === undefined;
  }

  give(value: unknown): void {
    this.giveResult({ done: false, value });
  }

  giveResult(result: Result): void {
    const resolve = this.#resolve;
    if (resolve !== undefined) {
      this.#moveUp();
      resolve(result);
    } else if (this.#end === undefined) this.#held = result;
  }

  /** No chunk follows; the first end counts. */
  end(end: SourceEnd): void {
    this.#held = undefined;
    end = this.#end ??= end;
    while (this.#resolve !== undefined) {
      const resolve = this.#resolve;
      const reject = this.#reject;
      const asked = this.#asked;
      this.#moveUp();
      if ("reason" in end) {
        reject(end.reason);
        // The generator may not look at it any more.
        asked.catch(ignore);
      } else resolve({ done: true, value: undefined });
    }
  }

  #moveUp(): void {
    const others = this.#others;
    if (others === undefined) {
      this.#resolve = undefined;
      return;
    }
    const next = others.shift()!;
    if (others.length === 0) this.#others = undefined;
    this.#resolve = next.resolve;
    this.#reject = next.reject;
    this.#asked = next.promise!;
  }

  // Made once: a question costs no closure.
  readonly #keepAsked = (
    resolve: (result: Result) => void,
    reject: (reason: unknown) => void,
  ): void => {
    if (this.#resolve !== undefined) {
      (this.#others ??= []).push({ resolve, reject });
      return;
    }
    this.#resolve = resolve;
    this.#reject = reject;
  };

  #next(): Promise<Result> {
    const held = this.#held;
    if (held !== undefined) {
      this.#held = undefined;
      return Promise.resolve(held);
    }
    const asked = new Promise<Result>(this.#keepAsked);
    if (this.#others === undefined) this.#asked = asked;
    else this.#others.at(-1)!.promise = asked;
    if (this.#end === undefined) this.#onAsked();
    else this.end(this.#end);
    return asked;
  }
}
