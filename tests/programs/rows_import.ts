import {
  attempt,
  batchBy,
  type KeyedBatch,
  lines,
  parallel,
  pipeline,
  scan,
} from "@hosepipe/streams";
import { isBusy, parseSale, type RowsImport, type Sale } from "./_rows_import.ts";

/** Imports a file of sales: by shop, several batches at a time, what is wrong goes elsewhere. */
export const importRows: RowsImport = async (file, parts) => {
  const { store, keepDeadLetter, onProgress, batchSize, maxShops, concurrency, signal } = parts;
  const parse = attempt(parseSale, {
    attempts: 1,
    onError: async (reason, text, line) => {
      await keepDeadLetter({ line, text, reason: String(reason) });
      return "skip";
    },
  });
  const storeBatches = parallel(
    ({ key, chunks }: KeyedBatch<string, Sale>, _, { signal }) => store(key, chunks, signal),
    { concurrency, key: ({ key }) => key },
  );
  let stored = 0;
  const { chunksSkipped } = await pipeline(
    file,
    lines(),
    parse,
    batchBy(({ shop }) => shop, batchSize, { maxKeys: maxShops }),
    attempt(storeBatches, { delayMs: 100, shouldRetry: isBusy }),
    scan((sum, count) => sum + count, 0),
    (sum) => onProgress(stored = sum),
    { signal },
  );
  return { stored, deadLetters: chunksSkipped };
};
