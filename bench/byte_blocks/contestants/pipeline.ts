import { formatNdjson, pipeline as runPipeline } from "../../../mod.ts";
import type { RunBlocks } from "../job.ts";

export const pipeline: RunBlocks = async ({ rows, take }) => {
  const gzip = new CompressionStream("gzip");
  await runPipeline(rows, formatNdjson(), new TextEncoderStream(), gzip as never, take as never);
};
