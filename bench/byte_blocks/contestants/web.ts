import type { RunBlocks } from "../job.ts";

export const web: RunBlocks = async ({ rows, take }) => {
  await ReadableStream.from(rows)
    .pipeThrough(
      new TransformStream<object, string>({
        transform: (row, controller) => controller.enqueue(`${JSON.stringify(row)}\n`),
      }),
    )
    .pipeThrough(new TextEncoderStream())
    .pipeThrough(new CompressionStream("gzip") as never)
    .pipeTo(new WritableStream({ write: take }));
};
