import type { RunNativeEnds } from "../job.ts";

export const hand: RunNativeEnds = async ({ source, sink, stages }) => {
  const reader = source.getReader();
  const writer = sink.getWriter();
  for (;;) {
    await writer.ready;
    const { done, value } = await reader.read();
    if (done) break;
    let result = value;
    for (const stage of stages) result = stage(result);
    // What goes wrong in a write is found by the next look at `ready`.
    writer.write(result).catch(() => {});
  }
  await writer.close();
};
