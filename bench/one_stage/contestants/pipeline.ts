import {
  batch,
  flatMap,
  formatNdjson,
  parseNdjson,
  pipeline as runPipeline,
} from "../../../mod.ts";
import { batchSize, partsOf, type RunOneStage } from "../job.ts";

export const pipeline: RunOneStage = async ({ kind, chunks, take }) => {
  if (kind === "batch") await runPipeline(chunks, batch(batchSize), take);
  else if (kind === "format-ndjson") await runPipeline(chunks, formatNdjson(), take);
  else if (kind === "flat-map") await runPipeline(chunks as number[], flatMap(partsOf), take);
  else await runPipeline(chunks as string[], parseNdjson(), take);
};
