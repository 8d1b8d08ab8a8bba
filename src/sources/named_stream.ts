import { setEndMeaning } from "../kernels/end_meaning.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";

/** An underlying source that may know what it waits for. */
export interface SayingSource<T> extends UnderlyingDefaultSource<T> {
  waiting?(): string | undefined;
}

/** A stream that a run can name, and of which it can say what it waits for. */
export function namedStream<T>(
  name: string,
  source: SayingSource<T>,
  strategy: QueuingStrategy<T> = { highWaterMark: 0 },
): ReadableStream<T> {
  const stream = new ReadableStream<T>(source, strategy);
  setEndMeaning(stream, { name, waiting: () => source.waiting?.() });
  return stream;
}
