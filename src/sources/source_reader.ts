import { awaitable } from "../awaitable.ts";
import { checkResult } from "../check_result.ts";
import { awaitChunk, openSource, type PullSource } from "../pipeline/source.ts";

const ended = { done: true, value: undefined } as const;

/** One open source, of whatever kind: read chunk by chunk, and given up at most once. */
export class SourceReader<T> {
  /** None once it has ended, failed or been cancelled. */
  #source: PullSource | undefined;

  /** Opens a source that `checkSources` let pass. */
  constructor(source: unknown) {
    this.#source = openSource(source);
  }

  /** Reads one chunk; to be called only when the last one has come. */
  async read(): Promise<IteratorResult<T, undefined>> {
    const source = this.#source;
    if (source === undefined) return ended;
    let result: IteratorResult<T, undefined>;
    try {
      const { done, value } = await next(source);
      result = done ? ended : { done: false, value: value as T };
    } catch (error) {
      this.#finish(source);
      throw error;
    }
    if (result.done) this.#finish(source);
    return result;
  }

  /** Gives the source up, unless it has ended. */
  async cancel(reason: unknown): Promise<void> {
    const source = this.#source;
    this.#source = undefined;
    await source?.cancel(reason);
  }

  #finish(source: PullSource): void {
    // One that was cancelled has let go by itself: to let go again does nothing.
    this.#source = undefined;
    source.release();
  }
}

async function next(source: PullSource): Promise<IteratorResult<unknown>> {
  if (!("iterator" in source)) return await source.next();
  const result = checkResult(source.iterator.next());
  if (result.done) return result;
  const { value } = result;
  const chunk = awaitable(value);
  return chunk === undefined ? { done: false, value } : await awaitChunk(source.iterator, chunk);
}

/** Gives several sources up; fulfilled once all have answered, rejected with the first failure among them. */
export async function cancelAll(
  sources: Iterable<SourceReader<unknown>>,
  reason: unknown,
): Promise<void> {
  const answers = await Promise.allSettled(Array.from(sources, (source) => source.cancel(reason)));
  for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
}

/** Gives several sources up for a failure that counts more than what they answer. */
export function abandonAll(sources: Iterable<SourceReader<unknown>>, reason: unknown): void {
  cancelAll(sources, reason).catch(() => {});
}
