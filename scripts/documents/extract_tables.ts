import type { ResultFile } from "../../bench/results/result.ts";
import { extractTable } from "../../bench/extract/extract_table.ts";
import { notMeasured } from "./not_measured.ts";
import { provenance } from "./provenance.ts";

/** The ladder of extract as the terminal shows it. */
export function extractTables(results: ResultFile): string {
  const text = extractTable(results.rows.filter(({ workload }) => workload === "extract"));
  if (text === "") return notMeasured("extract");
  return ["```text", text, "```", "", provenance(results, "extract")].join("\n");
}
