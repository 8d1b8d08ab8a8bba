import type { RunNativeEnds } from "../job.ts";

export const native: RunNativeEnds = async ({ source, sink, stages, strategy }) => {
  let stream = source;
  for (const stage of stages) {
    stream = stream.pipeThrough(
      new TransformStream(
        { transform: (chunk, it) => it.enqueue(stage(chunk)) },
        strategy,
        strategy,
      ),
    );
  }
  await stream.pipeTo(sink);
};
