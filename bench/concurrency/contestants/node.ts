import { map } from "../../../mod.ts";
import { pipeline, reader, transformer, writer } from "../../../node_compat/mod.ts";
import { sinkWritable } from "../../../node_compat/sink_side.ts";
import type { RunConcurrency } from "../../../scenarios/concurrency/job.ts";
import { lastAdmittingSink } from "../../../scenarios/concurrency/last_admitting_sink.ts";

export const node: RunConcurrency = async (job) => {
  const { messages, write, concurrency, highWaterMark, batchSize, admit } = job;
  await pipeline(
    reader(messages, { highWaterMark, batchSize }),
    transformer(map((message: string) => message), { highWaterMark }),
    admit === "last"
      ? sinkWritable(lastAdmittingSink(write, concurrency), highWaterMark)
      : writer(write, { concurrency, highWaterMark }),
  );
};
