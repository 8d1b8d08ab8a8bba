import { workloads } from "../../bench/workloads.ts";
import type { ResultFile } from "../../bench/results/result.ts";
import { semanticsProbes } from "../../scenarios/semantics/probes.ts";
import { claimsList } from "./bench/claims.ts";
import { contestantsTable } from "./bench/contestants_table.ts";
import { fasterList } from "./bench/faster_list.ts";
import { freshTable } from "./bench/fresh_table.ts";
import { rangeTables } from "./bench/range_tables.ts";
import { targetsTable } from "./bench/targets_table.ts";
import { consumeFaults } from "./consume_faults.ts";
import { failureTranscripts } from "./failure_transcripts.ts";
import { headline } from "./headline.ts";
import { formatSizes, importSizes } from "./import_sizes.ts";
import { lawsByPlatform } from "./laws_by_platform.ts";
import { operatorsList } from "./operators/operators_list.ts";
import { semanticsDefaults } from "./semantics_defaults.ts";
import { semanticsSummary } from "./semantics_summary.ts";
import { semanticsTable } from "./semantics_table.ts";
import { testCases, testRunners } from "./test_runners.ts";
import { workloadTables } from "./workload_tables.ts";

type Generator = (results: ResultFile, runs: readonly ResultFile[]) => string;

/** Workloads whose medians are shown, in docs/throughput*.md, docs/formats.md and docs/workers.md; some with quartiles. */
const measured = [
  ...["passthrough", "memory_to_nothing", "file_to_null", "file_to_file"],
  ...["overlap", "probe_cost", "formats", "threads"],
];
const withQuartiles = ["threads"];

/** Workloads whose ranges over several runs are shown, in docs/benchmarks-*.md. */
const ranged = ["real_work", "copy_lines", "short_streams", "native_ends", "native_marks"];

const known = await Promise.all(Object.values(workloads).map((load) => load()));

function byName<T>(
  all: readonly T[],
  entry: (one: T) => readonly [string, Generator],
): Readonly<Record<string, Generator>> {
  return Object.fromEntries(all.map(entry));
}

/** What may stand between the marks of a document, by name, from one set of results or from several runs. */
export const generators: Readonly<Record<string, Generator>> = {
  "bench-claims": (_, runs) => claimsList(runs),
  "bench-contestants": contestantsTable,
  "bench-faster": (results, runs) => fasterList(results, runs, known),
  "bench-fresh": freshTable,
  "bench-targets": (_, runs) => targetsTable(runs, known),
  ...byName(ranged, (name) => [
    `bench-${name.replaceAll("_", "-")}`,
    (_, runs) => rangeTables(runs, name),
  ]),
  ...byName(measured, (name) => [
    `workload-${name.replaceAll("_", "-")}`,
    (results) => workloadTables(results, name, withQuartiles.includes(name)),
  ]),
  ...byName(semanticsProbes, (probe) => [
    `semantics-${probe.name}`,
    () => semanticsTable(probe),
  ]),
  ...byName(Object.entries(failureTranscripts), ([name, block]) => [name, () => block]),
  "consume-faults": consumeFaults,
  "format-sizes": () => formatSizes,
  "headline": (_, runs) => headline(runs),
  "import-sizes": () => importSizes,
  "laws-by-platform": lawsByPlatform,
  "operators-sources": () => operatorsList("merge", "interval"),
  "operators-stages": () => operatorsList("map", "expand"),
  "operators-text": () => operatorsList("lines", "limitBytes"),
  "semantics-default-marks": semanticsDefaults,
  "semantics-summary": semanticsSummary,
  "test-cases": testCases,
  "test-runners": testRunners,
};
