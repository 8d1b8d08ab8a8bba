import type { RunAsync } from "../job.ts";

export const web: RunAsync = async ({ chunks, steps, take }) => {
  let stream = ReadableStream.from(chunks);
  for (const step of steps) {
    stream = stream.pipeThrough(
      new TransformStream<number, number>({
        async transform(chunk, controller) {
          controller.enqueue(await step(chunk));
        },
      }),
    );
  }
  await stream.pipeTo(new WritableStream({ write: take }));
};
