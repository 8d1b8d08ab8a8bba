import { sumCase } from "../measure/sum_case.ts";
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
  return sumCase({ contestant, chunks, sum: expected }, async (take) => {
    let next = 0;
    const source = new ReadableStream<number>({
      pull(controller) {
        if (next === chunks) controller.close();
        else controller.enqueue(next++);
      },
    }, strategy);
    const sink = new WritableStream<number>({ write: (chunk) => take(chunk) }, strategy);
    await run({ source, sink, stages, strategy });
  });
}
