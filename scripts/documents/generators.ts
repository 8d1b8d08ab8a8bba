import { workloads } from "../../bench/workloads.ts";
import { answersTable, libraryAnswersTable } from "./bench/answers_table.ts";
import { claims } from "./bench/claims.ts";
import { contestantsTable } from "./bench/contestants_table.ts";
import { freshTable } from "./bench/fresh_table.ts";
import { fasterList } from "./bench/faster_list.ts";
import { fiveQuestions } from "./bench/five_questions.ts";
import { describeHistory, historyTable } from "./bench/history_table.ts";
import { growthTables, latencyTables } from "./bench/latency_tables.ts";
import { othersTable } from "./bench/others_table.ts";
import { raceTable } from "./bench/race_table.ts";
import { rangeTables } from "./bench/range_tables.ts";
import { sweepTables } from "./bench/sweep_tables.ts";
import { describeRealWork } from "./bench/real_work_chart.ts";
import { targetsTable } from "./bench/targets_table.ts";
import { workerdTable } from "./bench/workerd_table.ts";
import type { ResultFile } from "../../bench/results/result.ts";
import { semanticsProbes } from "../../scenarios/semantics/probes.ts";
import { consumeFaults } from "./consume_faults.ts";
import { demoBlocks } from "./demo_blocks.ts";
import { failureTranscripts } from "./failure_transcripts.ts";
import { hoseImage } from "./hose_picture.ts";
import { formatSizes, importSizes } from "./import_sizes.ts";
import { headline } from "./headline.ts";
import { lawsByPlatform } from "./laws_by_platform.ts";
import { highWaterMarkFinding } from "./high_water_mark_finding.ts";
import { describePasses } from "./passes_chart.ts";
import { notMeasured } from "./not_measured.ts";
import { operatorsList } from "./operators/operators_list.ts";
import { queueRates } from "./queue_rates.ts";
import { semanticsDefaults } from "./semantics_defaults.ts";
import { semanticsSummary } from "./semantics_summary.ts";
import { semanticsTable } from "./semantics_table.ts";
import { serveFileTables } from "./serve_file_tables.ts";
import { threadsCpu } from "./threads_cpu.ts";
import { threadsProjection } from "./threads_projection.ts";
import { testCases, testRunners } from "./test_runners.ts";
import { workloadTables } from "./workload_tables.ts";

/** Workloads shown as they are, in docs/throughput*.md and docs/formats.md. */
const measured = [
  "passthrough",
  "memory_to_nothing",
  "file_to_null",
  "file_to_file",
  "allocation",
  "scheduling",
  "overlap",
  "probe_cost",
  "formats",
];

const ranged = ["real_work", "copy_lines", "short_streams", "native_ends", "native_marks"];
const known = await Promise.all(Object.values(workloads).map((load) => load()));

/** What may stand between the marks of a document, by name, from one set of results or from several runs. */
export const generators: Readonly<
  Record<string, (results: ResultFile, runs: readonly ResultFile[]) => string>
> = {
  "bench-answers": () => answersTable(),
  "bench-answers-of-libraries": () => libraryAnswersTable(),
  "bench-claims": (_, runs) => claims(runs),
  "bench-contestants": contestantsTable,
  "bench-faster": (results, runs) => fasterList(results, runs, known),
  "bench-real-work-chart": (_, runs) => `![${describeRealWork(runs)}](images/real-work.svg)`,
  "bench-fresh": freshTable,
  "bench-questions": (results, runs) => fiveQuestions(results, runs, known),
  "bench-growth": () => growthTables(),
  "bench-history": () => historyTable(),
  "bench-history-chart": () => `![${describeHistory()}](images/history.svg)`,
  "bench-latency": () => latencyTables(),
  "bench-others": () => othersTable(),
  "bench-race": () => raceTable(known),
  "bench-sweeps": sweepTables,
  "bench-targets": (_, runs) => targetsTable(runs, known),
  ...Object.fromEntries(ranged.map((name) => [
    `bench-${name.replaceAll("_", "-")}`,
    (_: ResultFile, runs: readonly ResultFile[]) => rangeTables(runs, name),
  ])),
  "bench-queues": () => queueRates(),
  "consume-faults": consumeFaults,
  "operators-stages": () => operatorsList("map", "expand"),
  "operators-text": () => operatorsList("lines", "limitBytes"),
  "operators-sources": () => operatorsList("merge", "interval"),
  "laws-by-platform": lawsByPlatform,
  "bench-workerd": () => workerdTable(),
  "test-cases": testCases,
  "test-runners": testRunners,
  "headline": (_, runs) => headline(runs),
  "format-sizes": () => formatSizes,
  "import-sizes": () => importSizes,
  "serve-file": serveFileTables,
  "semantics-summary": semanticsSummary,
  "semantics-default-marks": semanticsDefaults,
  ...Object.fromEntries(
    semanticsProbes.map((probe) => [`semantics-${probe.name}`, () => semanticsTable(probe)]),
  ),
  ...Object.fromEntries(
    Object.entries(failureTranscripts).map(([name, block]) => [name, () => block]),
  ),
  ...Object.fromEntries(Object.entries(demoBlocks).map(([name, block]) => [name, () => block])),
  "hose": () => hoseImage,
  "high-water-mark": (results) => highWaterMarkFinding(results, "200chunks"),
  "high-water-mark-of-1-gib": (results) => highWaterMarkFinding(results, "1GiB"),
  ...Object.fromEntries(measured.map((name) => [
    `workload-${name.replaceAll("_", "-")}`,
    (results: ResultFile) =>
      results.rows.some(({ workload }) => workload === name)
        ? workloadTables(results, name)
        : notMeasured(name),
  ])),
  "threads-cpu": threadsCpu,
  "threads-projection": threadsProjection,
  "workload-threads": (results) => workloadTables(results, "threads", true),
  "passes-chart": (results) => `![${describePasses(results)}](images/passes.svg)`,
};
