import type { Step } from "./create_steps.ts";

/** Makes a step of the job what `new TransformStream()` takes. */
export function toTransformer(step: Step): Transformer {
  if (step.kind === "map") {
    return { transform: (chunk, controller) => controller.enqueue(step.fn(chunk)) };
  }
  if (step.kind === "filter") {
    return {
      transform(chunk, controller) {
        if (step.fn(chunk)) controller.enqueue(chunk);
      },
    };
  }
  return {
    transform(chunk, controller) {
      for (const result of step.expander.push(chunk)) controller.enqueue(result);
    },
    flush(controller) {
      for (const result of step.expander.end()) controller.enqueue(result);
    },
  };
}
