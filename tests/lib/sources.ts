import { concat, merge, reader, retry, share, timeout, zip } from "@hosepipe/streams";

/** What a source of ours may be made of. */
export type AnySource = ReadableStream<number> | AsyncIterable<number> | Iterable<number>;

/** A row of the table of sources: one that the package exports, made of another. */
export interface SourceRow {
  /** The export's name, and after a comma what is special about this row. */
  readonly name: string;
  readonly make: (source: AnySource) => ReadableStream<unknown>;
  /** What becomes of the n-th chunk. Default: nothing. */
  readonly output: (n: number) => unknown;
}

function row(
  name: string,
  make: SourceRow["make"],
  rest: Partial<SourceRow> = {},
): SourceRow {
  return { name, make, output: (n) => n, ...rest };
}

/** Every source that the package exports and that reads another, which the laws of sources run through. */
export const sources: readonly SourceRow[] = [
  row("concat", (source) => concat(source)),
  row("concat, opened in its turn", (source) => concat(() => source)),
  row("merge", (source) => merge(source)),
  row("reader", (source) => reader(source, { highWaterMark: 0 })),
  row("retry", (source) => retry(() => source, { attempts: 1 })),
  row("share", (source) => share(source, 1, { highWaterMark: 0 })[0]!),
  row("timeout", (source) => timeout(source, { idleMs: 60_000 })),
  row("zip", (source) => zip(source), { output: (n) => [n] }),
];
