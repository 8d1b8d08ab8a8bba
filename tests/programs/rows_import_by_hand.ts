import { batchBy, flatMap, type KeyedBatch, lines, parallel, pipeline } from "@hosepipe/streams";
import { isBusy, parseSale, type RowsImport, type Sale } from "./_rows_import.ts";

/** Waits, unless a signal aborts before or meanwhile. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Calls `fn` again while the store is busy, five times at most. */
async function storeAgain<T>(fn: () => Promise<T>, signal: AbortSignal): Promise<T> {
  let delayMs = 100;
  for (let attempt = 1;; attempt++) {
    try {
      return await fn();
    } catch (reason) {
      if (attempt === 5 || !isBusy(reason)) throw reason;
    }
    await wait(delayMs / 2 + Math.random() * delayMs / 2, signal);
    delayMs *= 2;
  }
}

/** Calls for the same key one after the other. */
class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<T>(key: string, fn: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const turn = before === undefined ? fn() : before.then(fn);
    this.#last.set(key, turn);
    const leave = () => {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    };
    turn.then(leave, leave);
    return turn;
  }
}

/** The same with the stages that were there before. */
export const importRows: RowsImport = async (file, parts) => {
  const { store, keepDeadLetter, onProgress, batchSize, maxShops, concurrency, signal } = parts;
  let deadLetters = 0;
  const parse = flatMap((text: string, line) => {
    try {
      return [parseSale(text)];
    } catch (reason) {
      deadLetters++;
      return keepDeadLetter({ line, text, reason: String(reason) }).then((): Sale[] => []);
    }
  });
  const turns = new Turns();
  const storeBatch = ({ key, chunks }: KeyedBatch<string, Sale>, _: number, context: {
    signal: AbortSignal;
  }) => {
    const { signal } = context;
    return turns.take(key, () => storeAgain(() => store(key, chunks, signal), signal));
  };
  let stored = 0;
  await pipeline(
    file,
    lines(),
    parse,
    batchBy(({ shop }) => shop, batchSize, { maxKeys: maxShops }),
    parallel(storeBatch, { concurrency }),
    (count) => onProgress(stored += count),
    { signal },
  );
  return { stored, deadLetters };
};
