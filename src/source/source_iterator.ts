import { type AsyncPull, leave, type Leaving, type SourceEnd } from "./open_source.ts";

type Result = IteratorResult<unknown, undefined>;

const ended = { done: true, value: undefined } as const;

/** The chunks of an open source one by one; unlike a stream's own iterator it can be given up while it waits. */
export function sourceIterator(
  source: AsyncPull & SourceEnd,
): AsyncIterator<unknown, undefined> & Leaving {
  let isOver = false;
  const finish = (): void => {
    if (!isOver) source.release();
    isOver = true;
  };
  return {
    [leave]: finish,
    async next(): Promise<Result> {
      if (isOver) return ended;
      try {
        // What is read past a stream is heard in the same step.
        const { done, value } = await new Promise<IteratorResult<unknown, unknown>>(
          (resolve, reject) => void source.next().then(resolve, reject),
        );
        if (!done) return { done: false, value };
      } catch (reason) {
        finish();
        throw reason;
      }
      finish();
      return ended;
    },
    async return(reason?: unknown): Promise<Result> {
      if (isOver) return ended;
      isOver = true;
      await source.cancel(reason);
      return ended;
    },
  };
}
