import { pipeline as runPipeline } from "../../../mod.ts";
import { formatCsv, parseCsv, parseMultipart, parseSse } from "../../../src/formats/mod.ts";
import type { RunFormat } from "../job.ts";

export const pipeline: RunFormat = async ({ kind, bytes, rows, boundary, take }) => {
  switch (kind) {
    case "write-csv":
      await runPipeline(rows, formatCsv(), take);
      break;
    case "read-events":
      await runPipeline(bytes, parseSse(), ({ data }) => take(data));
      break;
    case "read-form":
      for await (const { body } of parseMultipart(bytes, { boundary })) {
        await runPipeline(body, take);
      }
      break;
    default:
      await runPipeline(bytes, parseCsv(), take);
  }
};
