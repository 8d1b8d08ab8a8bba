import { isPromiseLike } from "../is_promise_like.ts";
import { leave, type Leaving } from "../source/open_source.ts";
import type { StageEvents } from "./stage_events.ts";
import { mapPromise, watchPromise } from "./watch_promise.ts";

type AnyIterator = Iterator<unknown> | AsyncIterator<unknown>;
type Result = IteratorResult<unknown>;

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** A chunk is there; where promises are waited for, once it is. */
function note(chunk: unknown, events: StageEvents, awaitsChunks: boolean): unknown {
  if (!awaitsChunks || !isPromiseLike(chunk)) {
    events.read(chunk);
    return chunk;
  }
  return events.work(() =>
    watchPromise(chunk, (value) => note(value, events, awaitsChunks), () => {})
  );
}

/** A result that is looked at as it is read, its members once each. */
class ProbedResult {
  readonly #result: Result;
  readonly #events: StageEvents;
  readonly #awaitsChunks: boolean;
  #isDone = true;

  constructor(result: Result, events: StageEvents, awaitsChunks: boolean) {
    this.#result = result;
    this.#events = events;
    this.#awaitsChunks = awaitsChunks;
  }

  get done(): boolean | undefined {
    const { done } = this.#result;
    this.#isDone = Boolean(done);
    if (this.#isDone) this.#events.end("end");
    return done;
  }

  get value(): unknown {
    const { value } = this.#result;
    if (this.#isDone) return value;
    this.#isDone = true;
    return note(value, this.#events, this.#awaitsChunks);
  }
}

/** Looks at a result that its reader is given as it is. */
function noteResult(result: unknown, events: StageEvents): void {
  try {
    const { done, value } = result as Result;
    if (done) events.end("end");
    else events.read(value);
  } catch {
    // Its reader finds out, too.
  }
}

/** An iterator that is looked at: to its reader, the one it would have had. */
class ProbedIterator {
  readonly #iterator: AnyIterator;
  readonly #events: StageEvents;
  readonly #isAsync: boolean;
  readonly #noteReturn: (reason: unknown) => void;

  constructor(
    iterator: AnyIterator,
    events: StageEvents,
    isAsync: boolean,
    noteReturn: (reason: unknown) => void,
  ) {
    this.#iterator = iterator;
    this.#events = events;
    this.#isAsync = isAsync;
    this.#noteReturn = noteReturn;
  }

  next(...args: [] | [unknown]): unknown {
    const events = this.#events;
    return events.ask(() => {
      const result: unknown = this.#iterator.next(...args as []);
      if (!this.#isAsync || !isPromiseLike(result)) return this.#look(result);
      if (result instanceof Promise && result.constructor === Promise) {
        return watchPromise(result, (value) => noteResult(value, events), () => {});
      }
      return mapPromise(result, (value) => this.#look(value), () => {});
    });
  }

  /** Asked for by who leaves it. */
  get return(): ((reason?: unknown) => unknown) | undefined {
    const own = this.#iterator.return as ((...args: unknown[]) => unknown) | null | undefined;
    if (own === undefined || own === null) {
      this.#noteReturn(undefined);
      return undefined;
    }
    return (...args) => {
      this.#noteReturn(args[0]);
      return Reflect.apply(own, this.#iterator, args);
    };
  }

  [leave](): void {
    (this.#iterator as Leaving)[leave]?.();
  }

  #look(result: unknown): unknown {
    if (!isObject(result)) return result;
    return new ProbedResult(result as Result, this.#events, !this.#isAsync);
  }
}

/** Looks at what an iterator gives, and whether it is left. */
export function probeIterator(
  iterator: AnyIterator,
  events: StageEvents,
  isAsync: boolean,
): AnyIterator {
  const left = (reason: unknown) => events.fail("cancel", reason);
  return new ProbedIterator(iterator, events, isAsync, left) as unknown as AnyIterator;
}

/** Looks at the chunks of a batch, as they are taken; its end is none of the source's. */
export function probeBatch(batch: Iterable<unknown>, events: StageEvents): Iterable<unknown> {
  return {
    *[Symbol.iterator]() {
      for (const chunk of batch) {
        events.read(chunk);
        yield chunk;
      }
    },
  };
}
