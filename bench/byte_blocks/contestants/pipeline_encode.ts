import { encode, formatNdjson, pipeline } from "../../../mod.ts";
import type { RunBlocks } from "../job.ts";

export const pipelineEncode: RunBlocks = async ({ rows, take }) => {
  const gzip = new CompressionStream("gzip");
  await pipeline(rows, formatNdjson(), encode(), gzip as never, take as never);
};
