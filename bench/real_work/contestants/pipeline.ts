import { map, pipeline as runPipeline } from "../../../mod.ts";
import type { RealWorker } from "../job.ts";
import { parse, total } from "../steps.ts";

export const pipeline: RealWorker = {
  async json({ texts, take }) {
    await runPipeline(texts(), map(parse), map(total), take);
  },
  async gzip({ chunks, take }) {
    await runPipeline(chunks(), new CompressionStream("gzip"), take);
  },
};
