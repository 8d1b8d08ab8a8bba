import type { PreparedCase } from "../measure/workload.ts";
import type { NativeEndsJob, RunNativeEnds } from "./job.ts";

/** What is moved, and how much each buffer holds. */
interface Numbers extends Pick<NativeEndsJob, "stages" | "strategy"> {
  readonly contestant: string;
  readonly chunks: number;
  /** What comes out, added up. */
  readonly expected: number;
}

/** Moves numbers from a native source to a native sink. */
export function moveNumbers(
  run: RunNativeEnds,
  { contestant, chunks, stages, strategy, expected }: Numbers,
): PreparedCase {
  let taken = -1;
  let sum = 0;
  return {
    async run() {
      taken = 0;
      sum = 0;
      let next = 0;
      const source = new ReadableStream<number>({
        pull(controller) {
          if (next === chunks) controller.close();
          else controller.enqueue(next++);
        },
      }, strategy);
      const sink = new WritableStream<number>({
        write(chunk) {
          taken++;
          sum += chunk;
        },
      }, strategy);
      await run({ source, sink, stages, strategy });
    },
    async verify() {
      if (taken !== chunks || sum !== expected) {
        throw new Error(`Cannot accept ${contestant}: ${taken} of ${chunks} chunks, sum ${sum}`);
      }
      return await Promise.resolve({ chunks, bytes: 0, digest: `${chunks} chunks, sum ${sum}` });
    },
    dispose: () => Promise.resolve(),
  };
}
