import { numberSource } from "../number_source.ts";
import type { RunProbeCost } from "../job.ts";

/** The native chain, not looked at. */
export const web: RunProbeCost = ({ count, highWaterMark, take }) => {
  const strategy = { highWaterMark };
  return new ReadableStream(numberSource(count), strategy)
    .pipeThrough(
      new TransformStream<number, number>(
        {
          transform: (chunk, controller) => controller.enqueue(chunk),
        },
        strategy,
        strategy,
      ),
    )
    .pipeTo(new WritableStream({ write: (chunk) => take(chunk) }, strategy));
};
