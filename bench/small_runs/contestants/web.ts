import type { RunSmall } from "../job.ts";

function mapStream(fn: (chunk: number) => number): TransformStream<number, number> {
  return new TransformStream({ transform: (chunk, controller) => controller.enqueue(fn(chunk)) });
}

function filterStream(fn: (chunk: number) => boolean): TransformStream<number, number> {
  return new TransformStream({
    transform(chunk, controller) {
      if (fn(chunk)) controller.enqueue(chunk);
    },
  });
}

export const web: RunSmall = async ({ chunks, increment, isOdd, double, take }) => {
  await ReadableStream.from(chunks)
    .pipeThrough(mapStream(increment))
    .pipeThrough(filterStream(isOdd))
    .pipeThrough(mapStream(double))
    .pipeTo(new WritableStream({ write: take }));
};
