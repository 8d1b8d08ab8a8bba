import type { MemoryJob } from "../job.ts";

/** What `new ReadableStream()` takes: gives the job's chunk as often as it is asked for. */
export function webSource({ chunk, count }: MemoryJob): UnderlyingDefaultSource {
  let left = count;
  return {
    pull(controller) {
      if (left-- > 0) controller.enqueue(chunk);
      else controller.close();
    },
  };
}
