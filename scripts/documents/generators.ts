import type { ResultFile } from "../../bench/results/result.ts";
import { semanticsProbes } from "../../scenarios/semantics/probes.ts";
import { concurrencyTable } from "./concurrency_table.ts";
import { extractTables } from "./extract_tables.ts";
import { farTables } from "./far_tables.ts";
import { demoBlocks } from "./demo_blocks.ts";
import { hoseImage } from "./hose_picture.ts";
import { importSizes } from "./import_sizes.ts";
import { libraryFigures } from "./library_figures.ts";
import { headline } from "./headline.ts";
import { highWaterMarkFinding } from "./high_water_mark_finding.ts";
import { describePasses } from "./passes_chart.ts";
import { notMeasured } from "./not_measured.ts";
import { peerWinsTable } from "./peer_wins_table.ts";
import { semanticsSummary } from "./semantics_summary.ts";
import { semanticsTable } from "./semantics_table.ts";
import { serveFileTables } from "./serve_file_tables.ts";
import { workloadTables } from "./workload_tables.ts";

/** Workloads shown as they are, in docs/throughput.md. */
const measured = [
  "passthrough",
  "memory_to_nothing",
  "file_to_null",
  "file_to_file",
  "allocation",
  "scheduling",
  "real_work",
  "overlap",
  "probe_cost",
];

/** What may stand between the marks of a document, by name; add yours here. */
export const generators: Readonly<Record<string, (results: ResultFile) => string>> = {
  "copy-lines": (results) => workloadTables(results, "copy_lines"),
  "extract": extractTables,
  "extract-far": farTables,
  "headline": headline,
  "import-sizes": () => importSizes,
  "library": libraryFigures,
  "serve-file": serveFileTables,
  "concurrency": concurrencyTable,
  "semantics-summary": semanticsSummary,
  ...Object.fromEntries(
    semanticsProbes.map((probe) => [`semantics-${probe.name}`, () => semanticsTable(probe)]),
  ),
  ...Object.fromEntries(Object.entries(demoBlocks).map(([name, block]) => [name, () => block])),
  "hose": () => hoseImage,
  "high-water-mark": highWaterMarkFinding,
  "peer-wins": peerWinsTable,
  ...Object.fromEntries(measured.map((name) => [
    `workload-${name.replaceAll("_", "-")}`,
    (results: ResultFile) =>
      results.rows.some(({ workload }) => workload === name)
        ? workloadTables(results, name)
        : notMeasured(name),
  ])),
  "passes-chart": (results) => `![${describePasses(results)}](images/passes.svg)`,
};
