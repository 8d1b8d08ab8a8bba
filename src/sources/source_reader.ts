import { awaitable } from "../awaitable.ts";
import { noteDetail } from "../kernels/failure_detail.ts";
import { checkResult } from "../check_result.ts";
import type { FoundSource } from "../source/find_source.ts";
import { awaitChunk, type PullSource } from "../source/open_source.ts";

type Result = IteratorResult<unknown, unknown>;

const ended = { done: true, value: undefined } as const;

/** What is called with what a read comes to. */
export interface ReadObserver {
  onChunk(chunk: unknown): void;
  onEnd(): void;
  onFailure(reason: unknown): void;
}

/** How a source has ended. */
export interface SourceEnding {
  readonly failed: boolean;
  readonly reason?: unknown;
}

/** How many sources that stand on each other are asked or answer now: the stack holds no more than so many. */
let depth = 0;
const maxDepth = 50;

/** One open source, of whatever kind: read chunk by chunk, and given up at most once. */
export class SourceReader<T> {
  /** None once it has ended, failed or been cancelled. */
  #source: PullSource | undefined;
  readonly #name: string | undefined;
  /** Of the read that is pending. */
  #observer!: ReadObserver;

  /** Opens a source; `name` says whose it is: "source 2 of merge". */
  constructor(source: FoundSource, name?: string) {
    this.#source = source.open();
    this.#name = name;
  }

  /** Whose it is: "source 2 of merge". */
  get name(): string {
    return this.#name ?? "its source";
  }

  /** Reads one chunk; to be called only when the last one has come. */
  read(): Promise<IteratorResult<T, undefined>> {
    return new Promise((resolve, reject) =>
      this.take({
        onChunk: (value) => resolve({ done: false, value: value as T }),
        onEnd: () => resolve(ended),
        onFailure: reject,
      })
    );
  }

  /** As `read`, but calls back, without a promise of its own; at once where the source answers at once. */
  take(observer: ReadObserver): void {
    const source = this.#source;
    if (source === undefined) return observer.onEnd();
    if (depth >= maxDepth) return void Promise.resolve().then(() => this.take(observer));
    this.#observer = observer;
    if ("iterator" in source) return this.#takeNow(source.iterator);
    depth++;
    try {
      source.next().then(this.#onResult, this.#onFailure);
    } catch (reason) {
      this.#onFailure(reason);
    } finally {
      depth--;
    }
  }

  /** Gives the source up, unless it has ended. */
  async cancel(reason: unknown): Promise<void> {
    const source = this.#source;
    this.#source = undefined;
    if (source === undefined) return;
    if (depth >= maxDepth) await undefined;
    let cancelled: unknown;
    depth++;
    try {
      cancelled = source.cancel(reason);
    } finally {
      depth--;
    }
    await cancelled;
  }

  #takeNow(iterator: Iterator<unknown>): void {
    let result: Result;
    let chunk: Promise<unknown> | undefined;
    try {
      result = checkResult(iterator.next());
      if (!result.done) {
        const { value } = result;
        chunk = awaitable(value);
        // What is read from an iterator's own result is read once.
        if (chunk === undefined) result = { done: false, value };
      }
    } catch (reason) {
      return this.#onFailure(reason);
    }
    if (chunk === undefined) this.#onResult(result);
    else void awaitChunk(iterator, chunk).then(this.#onResult, this.#onFailure);
  }

  // Made once: a read costs no closure.
  readonly #onResult = (result: Result): void => {
    let done: boolean | undefined;
    let value: unknown;
    if (depth >= maxDepth) return void Promise.resolve().then(() => this.#onResult(result));
    try {
      ({ done } = result);
      if (!done) ({ value } = result);
    } catch (reason) {
      return this.#onFailure(reason);
    }
    if (done) this.#finish();
    depth++;
    try {
      if (done) this.#observer.onEnd();
      else this.#observer.onChunk(value);
    } finally {
      depth--;
    }
  };

  readonly #onFailure = (reason: unknown): void => {
    if (depth >= maxDepth) return void Promise.resolve().then(() => this.#onFailure(reason));
    if (this.#name !== undefined) noteDetail(reason, { name: this.#name });
    this.#finish();
    depth++;
    try {
      this.#observer.onFailure(reason);
    } finally {
      depth--;
    }
  };

  #finish(): void {
    const source = this.#source;
    this.#source = undefined;
    // One that was cancelled has let go by itself.
    source?.release();
  }
}

/** Gives several sources up; fulfilled once all have answered, rejected with the first failure among them. */
export async function cancelAll(
  sources: Iterable<SourceReader<unknown>>,
  reason: unknown,
): Promise<void> {
  const answers = await Promise.allSettled(Array.from(sources, (source) => source.cancel(reason)));
  for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
}

/** Says which of several sources have been asked and have not answered. */
export function describePending(pending: readonly SourceReader<unknown>[]): string | undefined {
  if (pending.length === 0) return undefined;
  const names = pending.slice(0, 3).map(({ name }) => name).join(", ");
  const others = pending.length > 3 ? ` and ${pending.length - 3} others` : "";
  return `${names}${others} ${pending.length === 1 ? "has" : "have"} given nothing since`;
}

/** Gives several sources up for a failure that counts more than what they answer. */
export function abandonAll(sources: Iterable<SourceReader<unknown>>, reason: unknown): void {
  cancelAll(sources, reason).catch(() => {});
}
