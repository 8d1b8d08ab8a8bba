import { probe } from "../../src/inspect/probe.ts";
import type { ProbeCostJob } from "./job.ts";
import { numberSource } from "./number_source.ts";

/** Runs the native chain with every stage wrapped. */
export function runProbed(
  { count, highWaterMark, take }: ProbeCostJob,
  capacity: number,
): Promise<void> {
  const look = probe({ capacity });
  const strategy = { highWaterMark };
  return new ReadableStream(look.reader(numberSource(count), { strategy }), strategy)
    .pipeThrough(
      new TransformStream(
        look.transformer<number, number>({
          transform: (chunk, controller) => controller.enqueue(chunk),
        }, { writableStrategy: strategy, readableStrategy: strategy }),
        strategy,
        strategy,
      ),
    )
    .pipeTo(
      new WritableStream(
        look.writer({ write: (chunk: number) => take(chunk) }, { strategy }),
        strategy,
      ),
    );
}
