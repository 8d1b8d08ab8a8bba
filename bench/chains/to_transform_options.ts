import type { Transform, TransformOptions } from "node:stream";
import type { ChainJob } from "./job.ts";

/** What `new Transform()` of `node:stream` or of one of its kin takes. */
export interface StageOptions extends TransformOptions<Transform> {
  transform: NonNullable<TransformOptions<Transform>["transform"]>;
}

/** Makes the stages of a chain the options of Transforms, with the buffers they have by default. */
export function toTransformOptions({ isBatched, steps }: ChainJob): StageOptions[] {
  const objectMode = true;
  const flatten: StageOptions = {
    objectMode,
    transform(batch, _, callback) {
      for (const chunk of batch) this.push(chunk);
      callback();
    },
  };
  const stages = steps.map((step): StageOptions => ({
    objectMode,
    transform: step.kind === "map"
      ? (chunk, _, callback) => callback(null, step.fn(chunk))
      : (chunk, _, callback) => step.fn(chunk) ? callback(null, chunk) : callback(),
  }));
  return isBatched ? [flatten, ...stages] : stages;
}
