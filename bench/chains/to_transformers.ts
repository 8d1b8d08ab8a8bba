import type { ChainJob, Chunk } from "./job.ts";
import type { Transform, TransformOptions, WritableOptions } from "node:stream";

/** Writes chunks one by one, and waits where the sink is busy. */
export async function writeAll(chunks: Iterable<Chunk>, write: ChainJob["write"]): Promise<void> {
  for (const chunk of chunks) {
    const written = write(chunk);
    if (written) await written;
  }
}

/** The same with chunks that are waited for. */
export async function drain(chunks: AsyncIterable<Chunk>, write: ChainJob["write"]): Promise<void> {
  for await (const chunk of chunks) {
    const written = write(chunk);
    if (written) await written;
  }
}

/** Makes a writer of chunks the options of a `Writable` of `node:stream` or of one of its kin. */
export function sinkWritableOptions({ write }: ChainJob): WritableOptions {
  return {
    objectMode: true,
    write(chunk, _encoding, callback) {
      let written: void | Promise<void>;
      try {
        written = write(chunk);
      } catch (error) {
        return callback(error as Error);
      }
      if (written) written.then(() => callback(), callback);
      else callback();
    },
  };
}

/** A stage that does nothing. */
type Pass = <Chunk>(chunk: Chunk) => Chunk;

/** Functions that do nothing, each written for itself, as real stages are; 13, to fall on no engine's rhythm. */
const differentPasses: readonly Pass[] = [
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
  (chunk) => chunk,
];

/** Stages that do nothing: thirteen different functions in turn, as real stages differ. */
export function passFunctions(count: number): Pass[] {
  return Array.from(
    { length: count },
    (_, index) => differentPasses[index % differentPasses.length]!,
  );
}

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

/** Pipes a stream through a native one a step, with the buffers they have by default. */
export function pipeThroughSteps(source: ReadableStream, steps: ChainJob["steps"]): ReadableStream {
  return toTransformers({ isBatched: false, steps }).reduce(
    (stream, transformer) => stream.pipeThrough(new TransformStream(transformer)),
    source,
  );
}

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
