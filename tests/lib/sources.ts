import {
  concat,
  type Hub,
  hub,
  merge,
  mergeBy,
  peek,
  reader,
  retry,
  tee,
  timeout,
  zip,
} from "@hosepipe/streams";

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

/** The only branch of a hub, which ends with it: a branch by itself never cancels the source. */
function ofHub({ join, cancel }: Hub<unknown>): ReadableStream<unknown> {
  const reader = join().getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel,
  }, { highWaterMark: 0 });
}

/** Every source that the package exports and that reads another, which the laws of sources run through. */
export const sources: readonly SourceRow[] = [
  row("concat", (source) => concat(source)),
  row("concat, opened in its turn", (source) => concat(() => source)),
  row("hub", (source) => ofHub(hub(source, { highWaterMark: 0 }))),
  row("merge", (source) => merge(source)),
  row("mergeBy", (source) => mergeBy({ compare: (a: number, b: number) => a - b }, source)),
  row("mergeBy, keys", (source) => mergeBy({ key: (n: number) => n }, source)),
  row("peek", (source) => concat(async () => (await peek(source)).source)),
  row(
    "peek, several",
    (source) => concat(async () => (await peek((await peek(source)).source)).source),
  ),
  row("reader", (source) => reader(source, { highWaterMark: 0 })),
  row("retry", (source) => retry(() => source, { attempts: 1 })),
  row("tee", (source) => tee(source, 1, { highWaterMark: 0 })[0]!),
  row("timeout", (source) => timeout(source, { idleMs: 60_000 })),
  row("zip", (source) => zip(source), { output: (n) => [n] }),
];
