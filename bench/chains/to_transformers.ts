import type { ChainJob } from "./job.ts";

/** Makes the stages of a chain what `new TransformStream()` takes, as its users write them. */
export function toTransformers(
  { isBatched, steps }: Pick<ChainJob, "isBatched" | "steps">,
): Transformer[] {
  const flatten: Transformer = {
    transform(batch, controller) {
      for (const chunk of batch) controller.enqueue(chunk);
    },
  };
  const stages = steps.map((step): Transformer =>
    step.kind === "map"
      ? { transform: (chunk, controller) => controller.enqueue(step.fn(chunk)) }
      : {
        transform(chunk, controller) {
          if (step.fn(chunk)) controller.enqueue(chunk);
        },
      }
  );
  return isBatched ? [flatten, ...stages] : stages;
}
