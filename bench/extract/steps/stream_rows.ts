import { extract, type ExtractOptions } from "../../../scenarios/extract/extract.ts";
import { openFileOutput } from "../../../scenarios/extract/file_output.ts";
import { keepHeapSmall } from "../../../scenarios/extract/keep_heap_small.ts";
import { openSource } from "../../../scenarios/extract/open_source.ts";
import type { RunExtract } from "../job.ts";
import { conversationSelection } from "../../../scenarios/extract/conversations.ts";
import type { Period, Selection } from "../../../scenarios/extract/source.ts";

/** What a case reads. Its source may give nothing for long: a case has a limit of its own. */
function caseSelection(period: Period): Selection {
  return { ...conversationSelection(period), timeoutMs: 600_000 };
}

/** The streaming steps: the command's own extraction, with these settings. */
export function streamRows(
  settings: Pick<ExtractOptions, "batchSize" | "projection" | "partitions">,
): RunExtract {
  // As the command does.
  keepHeapSmall();
  return async ({ address, outputPath, period }) => {
    const selection = caseSelection(period);
    const source = await openSource(address, selection);
    try {
      const { rows } = await extract({
        ...settings,
        source,
        output: await openFileOutput(outputPath),
        format: { format: "csv" },
        highWaterMark: 2,
        onBadRow: "fail",
        timeoutMs: selection.timeoutMs,
        isEmptyKept: true,
      });
      return rows;
    } finally {
      await source.close();
    }
  };
}
