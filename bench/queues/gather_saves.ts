import { batchSize, type Save, type StoredRow } from "./contestant.ts";

/**
 * Saves what comes one by one in batches, for a contestant that hands over single messages: two saves at a time, each
 * with what has come meanwhile.
 */
export function gatherSaves(save: Save): (row: StoredRow) => Promise<void> {
  let waiting: { readonly row: StoredRow; readonly saved: PromiseWithResolvers<void> }[] = [];
  let saving = 0;
  const flush = async (): Promise<void> => {
    if (saving >= 2 || waiting.length === 0) return;
    saving++;
    const batch = waiting.slice(0, batchSize);
    waiting = waiting.slice(batchSize);
    try {
      await save(batch.map(({ row }) => row));
      for (const { saved } of batch) saved.resolve();
    } catch (reason) {
      for (const { saved } of batch) saved.reject(reason);
    }
    saving--;
    void flush();
  };
  return (row) => {
    const saved = Promise.withResolvers<void>();
    waiting.push({ row, saved });
    // The rest of this turn goes with it.
    setImmediate(() => void flush());
    return saved.promise;
  };
}
