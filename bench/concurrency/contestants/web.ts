import { map, reader, writer } from "../../../mod.ts";
import type { ConcurrencyJob, RunConcurrency } from "../../../scenarios/concurrency/job.ts";

/** The sink of runs 5.x by hand: once it is full, only the write that filled it lets the next one in. */
function lastWriter({ write, concurrency, highWaterMark }: ConcurrencyJob) {
  const inFlight = new Set<Promise<void>>();
  return new WritableStream<string>({
    write(message) {
      const written = write(message).finally(() => inFlight.delete(written));
      inFlight.add(written);
      if (inFlight.size >= concurrency) return written;
    },
    close: async () => void await Promise.all(inFlight),
  }, { highWaterMark });
}

export const web: RunConcurrency = async (job) => {
  const { messages, write, concurrency, highWaterMark, batchSize, admit } = job;
  const marks = { highWaterMark };
  await reader(messages, { highWaterMark, batchSize })
    .pipeThrough(new TransformStream(map((message: string) => message), marks, marks))
    .pipeTo(admit === "last" ? lastWriter(job) : writer(write, { concurrency, highWaterMark }));
};
