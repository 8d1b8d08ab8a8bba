import { map, reader, writer } from "../../../mod.ts";
import type { RunConcurrency } from "../../../scenarios/concurrency/job.ts";
import { lastAdmittingSink } from "../../../scenarios/concurrency/last_admitting_sink.ts";

export const web: RunConcurrency = async (job) => {
  const { messages, write, concurrency, highWaterMark, batchSize, admit } = job;
  const marks = { highWaterMark };
  await reader(messages, { highWaterMark, batchSize })
    .pipeThrough(new TransformStream(map((message: string) => message), marks, marks))
    .pipeTo(
      admit === "last"
        ? new WritableStream(lastAdmittingSink(write, concurrency), marks)
        : writer(write, { concurrency, highWaterMark }),
    );
};
