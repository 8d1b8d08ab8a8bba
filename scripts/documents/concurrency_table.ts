import type { ResultFile } from "../../bench/results/result.ts";
import { concurrencyTable as renderTable } from "../../bench/concurrency/concurrency_table.ts";
import { notMeasured } from "./not_measured.ts";
import { provenance } from "./provenance.ts";

/** The article's run table as the terminal shows it. */
export function concurrencyTable(results: ResultFile): string {
  const text = renderTable(results.rows.filter(({ workload }) => workload === "concurrency"));
  if (text === "") return notMeasured("concurrency");
  return ["```text", text, "```", "", provenance(results, "concurrency")].join("\n");
}
