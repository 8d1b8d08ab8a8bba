import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { VirtualTime } from "@hosepipe/streams/testing";
import { map, merge, parallel, pipeline } from "@hosepipe/streams";
import { captureCallSites, describeFailure, printPendingRuns } from "@hosepipe/streams/inspect";
import { build, stop } from "esbuild";
import type { ResultFile } from "../../bench/results/result.ts";
import { workloads } from "../../bench/workloads.ts";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { semanticsProbes } from "../../scenarios/semantics/probes.ts";
import { wrapProse } from "../../scenarios/command_line/wrap_prose.ts";
import { drawFacts } from "../../scenarios/semantics/draw_facts.ts";
import { readExpected } from "../../scenarios/semantics/expected_table.ts";
import type { Measured } from "../../scenarios/semantics/measured.ts";
import { factReader } from "../../scenarios/semantics/read_fact.ts";
import { summarize } from "../../scenarios/semantics/summarize.ts";
import {
  claimsList,
  type Comparison,
  hundred,
  nameMarks,
  rangeIn,
  realWork,
} from "./bench/claims.ts";
import { contestantsTable } from "./bench/contestants_table.ts";
import { fasterList } from "./bench/faster_list.ts";
import { rangeTables } from "./bench/range_tables.ts";
import { targetsTable } from "./bench/targets_table.ts";
import { bullet } from "./bullet.ts";
import { consumeFaults } from "./consume_faults.ts";
import { fleet } from "./fleet_table.ts";
import { inVirtualTime } from "./in_virtual_time.ts";
import { markdownTable } from "./markdown_table.ts";
import { operatorsList } from "./operators/operators_list.ts";
import { importPrices } from "./prices.ts";
import { semanticsTable } from "./semantics_table.ts";
import { testRunners } from "./test_runners.ts";
import { workloadTables } from "./workload_tables.ts";

/** The newest committed tables of the three runtimes. */
function latestMeasured(): Measured[] {
  return runtimeNames.map((name) => {
    const { version, facts } = readExpected(name);
    return { name, version, facts };
  });
}

/** What a high-water mark does, by the newest committed tables of the three runtimes; each with a picture. */
function semanticsSummary(): string {
  const measured = latestMeasured();
  const pictures = drawFacts(measured);
  return summarize(measured).map((sentence, index) => {
    const [first, ...rest] = wrapProse(sentence, 97).split("\n");
    const picture = pictures[index] === undefined
      ? []
      : ["", "```text", ...pictures[index].split("\n"), "```", ""];
    return [
      `${index + 1}. ${first}`,
      ...[...rest, ...picture].map((line) => line === "" ? "" : `   ${line}`),
    ].join("\n");
  }).join("\n");
}

const places = [
  ["ReadableStream, Readable", "reader"],
  ["TransformStream, Transform: in", "transf. in"],
  ["TransformStream, Transform: out", "transf. out"],
  ["WritableStream, Writable", "writer"],
] as const;

/** The highWaterMark of each buffer if none is given. */
function semanticsDefaults(): string {
  const read = factReader(latestMeasured());
  return markdownTable(
    ["default highWaterMark of", "Web Streams, chunks", "node, objects", "node, bytes"],
    places.map(([name, row]) => [
      name,
      ...["web, chunks", "node, objects", "node, bytes"].map((column) =>
        read("defaults", row, column)
      ),
    ]),
  );
}

interface LeftOut {
  readonly laws: string;
  readonly why: string;
}

/** What of the laws is not kept where, by the file that the tests of the package leave them out by. */
function lawsByPlatform(): string {
  const path = new URL("../../tests/package/left_out_laws.json", import.meta.url);
  const places: Readonly<Record<string, readonly LeftOut[]>> = JSON.parse(
    readFileSync(path, "utf8"),
  );
  const items = Object.entries(places).flatMap(([name, leftOut]) =>
    leftOut.map(({ laws, why }) => bullet(`${name}, ${laws}: ${why}.`))
  );
  return `All laws hold in Deno, Bun and Node. All hold in ${
    Object.keys(places).join(" and ")
  } too, except:\n\n${items.join("\n")}`;
}

const root = new URL("../../", import.meta.url);

interface Page {
  readonly module: string;
  readonly document: string;
  /** What is imported, as in `import { map } from "@hosepipe/streams"`. */
  readonly imports: readonly string[];
}

/** Some exports alone, then what is often imported together. */
const library = [
  ...["map", "lines", "parallel", "flatMap", "reader", "merge", "fuse", "compose"],
  ...["pipeline", "iterate", "toArray", "find"],
  "fuse, map",
  "pipeline, map",
  "pipeline, map, filter, lines, batch, parallel",
  "*",
];

const formats = [
  ...["parseCsv", "formatCsv", "parseSse", "formatSse", "sseResponse", "sseSource"],
  ...["parseMultipart", "*"],
];

/** Figures this close to those that are printed are not printed again: each small change would touch the page. */
const tolerance = 0.05;

type Sizes = readonly [minified: number, zipped: number];

/** The sizes in KiB of a bundle for each of `imports`, in one build: what they share is parsed once. */
async function measure(module: string, imports: readonly string[]): Promise<Sizes[]> {
  const from = JSON.stringify(fileURLToPath(new URL(module, root)));
  const { outputFiles } = await build({
    entryPoints: imports.map((_, index) => ({ in: `import:${index}`, out: `${index}` })),
    plugins: [{
      name: "imports",
      setup({ onLoad, onResolve }) {
        onResolve({ filter: /^import:/ }, ({ path }) => ({ path, namespace: "imports" }));
        onLoad({ filter: /^import:/, namespace: "imports" }, ({ path }) => {
          const names = imports[Number(path.slice("import:".length))]!;
          const what = names === "*" ? "*" : `{ ${names} }`;
          return { contents: `export ${what} from ${from};`, resolveDir: fileURLToPath(root) };
        });
      },
    }],
    outdir: fileURLToPath(root),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2024",
    write: false,
  });
  const contents = new Map(
    outputFiles.map(({ path, contents }) => [Number(basename(path, ".js")), contents]),
  );
  return imports.map((_, index) => {
    const bytes = contents.get(index)!;
    return [bytes.length / 1024, gzipSync(bytes, { level: 9 }).length / 1024];
  });
}

/** The sizes that the page has now, by what is imported. */
function printedSizes(page: string): Map<string, readonly number[]> {
  const rows = page.matchAll(/^\| `([^`]+)` +\| +([\d.]+) KiB +\| +([\d.]+) KiB +\|$/gm);
  return new Map([...rows].map(([, names, ...sizes]) => [names!, sizes.map(Number)]));
}

async function tabulate({ module, document, imports }: Page): Promise<string> {
  const printed = printedSizes(await readFile(new URL(document, root), "utf8"));
  const measured = await measure(module, imports);
  const rows = imports.map((names, row) => {
    const sizes = measured[row]!.map((size, index) => {
      const before = printed.get(names)?.[index];
      const isClose = before !== undefined && Math.abs(size - before) <= tolerance * before;
      return `${(isClose ? before : size).toFixed(1)} KiB`;
    });
    return [`\`${names}\``, ...sizes];
  });
  return markdownTable(["import", "minified", "and gzipped"], rows);
}

/** What importing parts of the library adds to a bundle; the rest is left out of it. */
const importSizes: string = await tabulate({
  ...{ module: "mod.ts", document: "docs/platforms.md", imports: library },
});

/** The same of each format. */
const formatSizes: string = await tabulate({
  ...{ module: "src/formats/mod.ts", document: "docs/formats.md", imports: formats },
});

await stop();

/** `56–96×`, `1.4–1.7×` or `1.5×`: over all runtimes and runs, rounded so that it never promises too much. */
function speed(runs: readonly ResultFile[], comparison: Comparison): string | undefined {
  const ranges = runtimeNames.flatMap((runtime) => rangeIn(runs, runtime, comparison) ?? []);
  if (ranges.length === 0) return undefined;
  const write = (value: number) =>
    value >= 10 ? `${Math.floor(value)}` : (Math.floor(value * 10) / 10).toFixed(1);
  const least = write(Math.min(...ranges.map(({ low }) => low)));
  const most = write(Math.max(...ranges.map(({ high }) => high)));
  return `**${least === most ? least : `${least}–${most}`}×**`;
}

function writeSize(): string {
  const [, size] = /^\| `pipeline, map` +\| +[\d.]+ KiB +\| +([\d.]+ KiB) +\|$/m.exec(importSizes)!;
  return `**${size}** gzipped for \`pipeline\` and \`map\`, and no dependency`;
}

/** The three figures that the README begins with. */
function headline(runs: readonly ResultFile[]): string {
  const native = `the speed of native Web Streams ${nameMarks(runs)}`;
  const over = (one: typeof realWork | typeof hundred, ...names: string[]) =>
    speed(runs, { ...one, names });
  const [web, node] = [over(realWork, "web", "web-16"), over(realWork, "node")];
  const chain = over(hundred, "web", "web-16");
  const work = "Filtering a file of JSON lines in five stages";
  return [
    ...web && node ? [`${work}: ${web} ${native}, ${node} that of \`node:stream\``] : [],
    ...chain ? [`100 stages that do nothing, between two files: ${chain} ${native}`] : [],
    writeSize(),
  ].map((text) => bullet(text)).join("\n");
}

function code(output: readonly string[]): string {
  return ["```text", ...output, "```"].join("\n");
}

/** Without the folder that it ran in. */
function shorten(line: string): string {
  return line.replace(/started at \S*\//, "started at ");
}

/** What `describeFailure` says of a run whose third stage throws on its seventh chunk. */
async function failureTranscript(): Promise<string> {
  captureCallSites(true);
  const text = `${'{"price":4}\n'.repeat(6)}oops\n`;
  try {
    await importPrices(text);
  } catch (error) {
    return code(describeFailure(error).split("\n").map(shorten));
  } finally {
    captureCallSites(false);
  }
  throw new Error("Cannot make the transcript: the run has not failed");
}

const never = new Promise<never>(() => {});

async function* ticks(): AsyncGenerator<number> {
  yield* [1, 2, 3];
  await never;
}

/** What `printPendingRuns` says after a while of runs that hang. */
async function hangTranscript(time: VirtualTime): Promise<string> {
  const controller = new AbortController();
  const { signal } = controller;
  const rows = Array.from({ length: 1000 }, (_, index) => index);
  const load = (row: number) => row < 811 ? row : never;
  const save = (row: number) => row === 811 ? never : undefined;
  const runs = [
    pipeline(rows, map((row) => row), save, { runName: "import", signal }),
  ];
  await time.advance(11_000);
  const calls = parallel(load, { concurrency: 10 });
  runs.push(pipeline(rows, calls, () => {}, { runName: "orders", signal }));
  await time.advance(28_000);
  const both = merge(ticks(), ticks());
  runs.push(pipeline(both, map((tick) => tick), () => {}, { runName: "ticks", signal }));
  await time.advance(2_000);
  const output: string[] = [];
  printPendingRuns((line) => output.push(line));
  controller.abort();
  await Promise.allSettled(runs);
  return code(output);
}

/** What is printed of a run that fails, and of some that hang, by the names of the documents' blocks. */
const failureTranscripts: Readonly<Record<string, string>> = {
  "failure-transcript": await failureTranscript(),
  "hang-transcript": await inVirtualTime(hangTranscript),
};

type Generator = (results: ResultFile, runs: readonly ResultFile[]) => string;

/** Workloads whose medians are shown in docs/research; some with quartiles. */
const measured = [
  ...["passthrough", "memory_to_nothing", "file_to_null", "file_to_file"],
  ...["formats", "threads", "defaults"],
];
const withQuartiles = ["threads"];

/** Workloads whose ranges over several runs are shown in docs/research. */
const ranged = ["real_work", "copy_lines", "short_streams", "native_ends"];

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
  "fleet": fleet,
  "format-sizes": () => formatSizes,
  "headline": (_, runs) => headline(runs),
  "import-sizes": () => importSizes,
  "laws-by-platform": lawsByPlatform,
  "operators-sources": () => operatorsList("merge", "interval"),
  "operators-stages": () => operatorsList("map", "expand"),
  "operators-text": () => operatorsList("lines", "limitBytes"),
  "semantics-default-marks": semanticsDefaults,
  "semantics-summary": semanticsSummary,
  "test-runners": testRunners,
};
