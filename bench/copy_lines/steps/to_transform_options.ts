import type { Transform, TransformOptions } from "node:stream";
import type { Step } from "./create_steps.ts";
import { highWaterMark } from "./high_water_mark.ts";

/** What `toTransformOptions` gives: `flush` only where a step has something to say at the end. */
export interface StepTransformOptions extends TransformOptions<Transform> {
  transform: NonNullable<TransformOptions<Transform>["transform"]>;
}

/** Makes a step of the job what `new Transform()` of `node:stream` or of one of its kin takes. */
export function toTransformOptions(step: Step): StepTransformOptions {
  const options = { objectMode: true, highWaterMark };
  if (step.kind === "map") {
    return { ...options, transform: (chunk, _, callback) => callback(null, step.fn(chunk)) };
  }
  if (step.kind === "filter") {
    return {
      ...options,
      transform: (chunk, _, callback) => step.fn(chunk) ? callback(null, chunk) : callback(),
    };
  }
  return {
    ...options,
    transform(chunk, _, callback) {
      for (const result of step.expander.push(chunk)) this.push(result);
      callback();
    },
    flush(callback) {
      for (const result of step.expander.end()) this.push(result);
      callback();
    },
  };
}
