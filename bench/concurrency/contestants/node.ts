import { map } from "../../../mod.ts";
import { pipeline, reader, transformer, writer } from "../../../node_compat/mod.ts";
import type { RunConcurrency } from "../../../scenarios/concurrency/job.ts";

export const node: RunConcurrency = async (job) => {
  const { messages, write, concurrency, highWaterMark, batchSize, admit } = job;
  await pipeline(
    reader(messages, { highWaterMark, batchSize }),
    transformer(map((message: string) => message), { highWaterMark }),
    writer(write, { concurrency, highWaterMark, admit }),
  );
};
