/** Divides entries into batches that are small enough; the size of each counts. */
export function batchesOf<Entry>(
  entries: readonly Entry[],
  sizeOf: (entry: Entry) => number,
  limit: number,
  most: number,
): Entry[][] {
  const batches: Entry[][] = [];
  let size = 0;
  for (const entry of entries) {
    const own = sizeOf(entry);
    const last = batches.at(-1);
    if (last === undefined || last.length === most || size + own > limit) {
      batches.push([entry]);
      size = own;
    } else {
      last.push(entry);
      size += own;
    }
  }
  return batches;
}
