import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { VirtualTime } from "@hosepipe/streams/testing";
import { map, merge, parallel, pipeline } from "@hosepipe/streams";
import { captureCallSites, describeFailure, printPendingRuns } from "@hosepipe/streams/inspect";
import { build, stop } from "esbuild";
import {
  describeParams,
  isControl,
  isMeasured,
  isOurs,
  noopName,
  type Params,
  type ResultFile,
} from "../../bench/results/result.ts";
import { workloads } from "../../bench/workloads.ts";
import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import type { SemanticsProbe } from "../../scenarios/semantics/probe.ts";
import { answerTable } from "../../scenarios/semantics/answer_table.ts";
import { compareFacts } from "../../scenarios/semantics/compare_facts.ts";
import { type QueueKind, queueKinds } from "../../scenarios/consume/faults/fault_place.ts";
import { faults } from "../../scenarios/consume/faults/faults.ts";
import { type FaultRun, readRows } from "../../scenarios/consume/faults/fault_run.ts";
import { type Facts, semanticsProbes } from "../../scenarios/semantics/probes.ts";
import { wrapProse } from "../../scenarios/command_line/parse_command_line.ts";
import { drawFacts } from "../../scenarios/semantics/draw_facts.ts";
import { listVersions, readExpected } from "../../scenarios/semantics/expected_table.ts";
import type { Measured } from "../../scenarios/semantics/measured.ts";
import { factReader, summarize } from "../../scenarios/semantics/summarize.ts";
import { bullet, markdownTable, notMeasured } from "./markdown_table.ts";
import { fleet } from "./fleet_table.ts";
import { inVirtualTime } from "./in_virtual_time.ts";
import { queueThroughput } from "./queue_table.ts";
import { operatorsList } from "./operators/operators_list.ts";
import { importPrices } from "./prices.ts";
import { descriptors } from "../../runtimes/descriptors.ts";
import {
  bestRatioRange,
  medianRange,
  type Range,
  ratioRange,
  type RowQuery,
} from "../../bench/results/ranges.ts";
import { chainContestants } from "../../bench/chains/contestants.ts";
import { fastest, losses, mergeRuns } from "../../bench/results/losses.ts";
import type { Workload } from "../../bench/measure/workload.ts";
import { formatDuration, threeDigits } from "../../bench/tables/row_table.ts";
import { type Bar, type BarSide, isBarReached } from "../../bench/tables/bar.ts";

/** Writes a range of ratios, such as `1.4 to 1.7`; one figure where both ends are written alike. */
function writeRatioRange({ low, high }: Range): string {
  const [least, most] = [low, high].map((ratio) =>
    ratio < 1.995 || ratio >= 9.995 ? threeDigits(ratio) : ratio.toFixed(1)
  );
  return least === most ? least! : `${least} to ${most}`;
}

/** Writes a range of milliseconds, with the unit once if it is the same. */
function writeTimeRange({ low, high }: Range): string {
  const [least, most] = [formatDuration(low), formatDuration(high)];
  if (least === most) return least;
  const [number, unit] = least.split(" ");
  return unit === most.split(" ")[1] ? `${number} to ${most}` : `${least} to ${most}`;
}

function describe({ dividend, divisor }: Bar): string {
  const side = ({ contestant, params = {} }: BarSide) => {
    const values = describeParams(params).replaceAll("=", " ");
    return [contestant, values].filter(Boolean).join(" ");
  };
  const isSame = describeParams(dividend.params ?? {}) === describeParams(divisor.params ?? {});
  return isSame
    ? `${dividend.contestant} / ${side(divisor)}`
    : `${side(dividend)} / ${side(divisor)}`;
}

/** A bar in words, what it came to in each runtime, and where that is too little. */
function judge(runs: readonly ResultFile[], workload: string, bar: Bar) {
  const missed: RuntimeName[] = [];
  const cells = runtimeNames.map((runtime) => {
    const query = ({ contestant, params = {} }: BarSide) => ({
      ...{ workload, contestant, runtime, params },
    });
    const range = ratioRange(runs, query(bar.dividend), query(bar.divisor));
    if (range === undefined) return "–";
    const missedRuns = runs.filter((run) => {
      const own = ratioRange([run], query(bar.dividend), query(bar.divisor));
      if (own === undefined) return false;
      return !isBarReached(bar, bar.atMost === undefined ? own.low : own.high);
    }).length;
    if (missedRuns === 0) return writeRatioRange(range);
    if (missedRuns * 2 > runs.length) missed.push(runtime);
    const how = missedRuns === runs.length ? "missed" : `missed in ${missedRuns} of ${runs.length}`;
    return `${writeRatioRange(range)} (${how})`;
  });
  const limit = bar.atMost === undefined ? `at least ${bar.atLeast}` : `at most ${bar.atMost}`;
  return { name: `\`${workload}\`: ${describe(bar)}`, limit, cells, missed };
}

/**
 * What we ask of the library beside what it does, over all runs; the least favourable end of the range counts.
 * Below it, why what is missed is missed.
 */
function targetsTable(runs: readonly ResultFile[], workloads: readonly Workload[]): string {
  const judged = workloads.flatMap(({ name, bars = [] }) =>
    bars.map((bar) => ({ ...judge(runs, name, bar), why: bar.whyMissed ?? "Not explained yet." }))
  ).filter(({ cells }) => cells.some((cell) => cell !== "–"));
  const table = markdownTable(
    ["times as long", "target", ...runtimeNames],
    judged.map(({ name, limit, cells }) => [name, limit, ...cells]),
  );
  const reasons = Map.groupBy(judged.filter(({ missed }) => missed.length > 0), ({ why }) => why);
  if (reasons.size === 0) return table;
  const items = [...reasons].map(([why, bars]) =>
    bullet(
      `${bars.map(({ name, missed }) => `${name}, in ${missed.join(", ")}`).join("; ")}. ${why}`,
    )
  );
  return `${table}\n\nWhy these targets are missed:\n\n${items.join("\n")}`;
}

/** Where ranges come from: how many runs, of how many samples, with which seeds, on which machines. */
function runsProvenance(runs: readonly ResultFile[], workload?: string): string {
  const rows = runs.flatMap((run) => run.rows).filter(isMeasured)
    .filter((row) => workload === undefined || row.workload === workload)
    .filter((row) => Object.keys(row.params).length > 0);
  const fewest = Math.min(...rows.map(({ samples }) => samples.length));
  const machines = new Set(
    runs.map(({ machine: { cpu, cores, memoryGiB, os } }) =>
      `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${os}`
    ),
  );
  const commits = new Set(
    runs.map(({ commit, dirty }) =>
      `${commit?.slice(0, 7) ?? "unknown"}${dirty ? " with changes" : ""}`
    ),
  );
  const cold = rows.filter(({ firstRunCounted }) => firstRunCounted).length;
  return wrapProse(
    `${runs.length} whole ${
      runs.length === 1 ? "run" : "runs"
    } by \`deno task bench --publish\`, ` +
      `seeds ${runs.map(({ seed }) => seed).join(", ")}, on ${[...machines].join("; ")}, ` +
      `${runs[0]!.startedAt.slice(0, 10)}, commit ${
        [...commits].join(", ")
      }. Every row was run warm ` +
      `and has at least ${fewest} samples in each run${
        cold > 0 ? `, but ${cold} that were cold` : ""
      }.`,
  );
}

/** The parameters by which the cases of a workload differ. */
function varying(all: readonly Params[]): string[] {
  const names = Object.keys(all[0] ?? {});
  return names.filter((name) => new Set(all.map((params) => params[name])).size > 1);
}

/**
 * One workload over several runs, for each runtime a table: contestants down, the fastest first, cases across.
 * Ours in time, the others in times as long as `pipeline`, or as the documentation's
 * own way, in the same run and runtime.
 */
function rangeTables(runs: readonly ResultFile[], workload: string): string {
  const rows = runs.flatMap((run) => run.rows)
    .filter((row) => row.workload === workload && row.contestant !== noopName);
  if (rows.length === 0) return notMeasured(workload);
  const base = rows.some(({ contestant }) => contestant === "pipeline") ? "pipeline" : "docs";
  const cases = [...new Map(rows.map(({ params }) => [describeParams(params), params])).values()]
    .sort((one, other) =>
      describeParams(one).localeCompare(describeParams(other), "en", { numeric: true })
    );
  const names = varying(cases);
  const titleOf = (params: Params) =>
    names.map((name) => `${name} ${params[name]}`).join(", ") || "times as long";
  const tables = runtimeNames.flatMap((runtime) => {
    const own = rows.filter((row) => row.runtime === runtime);
    if (own.length === 0) return [];
    const query = (contestant: string, params: Params): RowQuery => ({
      ...{ workload, contestant, runtime, params },
    });
    const ratio = (contestant: string, params: Params) =>
      ratioRange(runs, query(contestant, params), query(base, params));
    const score = (contestant: string) => {
      const all = cases.flatMap((params) => ratio(contestant, params)?.low ?? []);
      return all.length === 0
        ? Infinity
        : all.reduce((sum, one) => sum + Math.log(one), 0) / all.length;
    };
    const cell = (contestant: string, params: Params) => {
      if (contestant === base) {
        const time = medianRange(runs, query(base, params));
        return time === undefined ? "–" : writeTimeRange(time);
      }
      const range = ratio(contestant, params);
      if (range !== undefined) return writeRatioRange(range);
      const failed = own.some((row) =>
        row.contestant === contestant && "error" in row &&
        describeParams(row.params) === describeParams(params)
      );
      return failed ? "failed" : "–";
    };
    const contestants = [...new Set(own.map(({ contestant }) => contestant))]
      .sort((one, other) => score(one) - score(other));
    return [markdownTable(
      [`${runtime} ${own[0]!.runtimeVersion}`, ...cases.map(titleOf)],
      contestants.map((contestant) => [
        isControl(contestant)
          ? `_${contestant}_`
          : contestant === base
          ? `**${base}**`
          : contestant,
        ...cases.map((params) => cell(contestant, params)),
      ]),
    )];
  });
  return [...tables, runsProvenance(runs, workload)].join("\n\n");
}

/** What is lost for one reason, in each runtime where it is. */
interface LossesOfOneKind {
  readonly workload: string;
  /** Such as `deno in 1 of 4 cases`. */
  readonly places: readonly string[];
  readonly peers: readonly string[];
  readonly ratio: number;
  readonly reason: string;
}

/** Where others are faster than ours in the runs together. */
function listLosses(
  runs: readonly ResultFile[],
  workloads: readonly Workload[],
): readonly LossesOfOneKind[] {
  const lost = losses(mergeRuns(runs).rows, workloads).map((loss) => {
    const [workload, runtime] = loss.title.split(", ") as [string, string];
    return { ...loss, workload, runtime };
  });
  const kinds = Map.groupBy(lost, ({ workload, reason }) => `${workload}\n${reason}`);
  return [...kinds.values()].map((some) => {
    const { workload, reason, ratio } = some.reduce((most, one) =>
      one.ratio > most.ratio ? one : most
    );
    return {
      ...{ workload, reason, ratio },
      places: some.map(({ runtime, lost, of }) => `${runtime} in ${lost} of ${of} cases`),
      peers: [...new Set(some.flatMap(({ peers }) => peers))],
    };
  });
}

/** Each of them as a point, with the reason. */
function fasterList(runs: readonly ResultFile[], workloads: readonly Workload[]): string {
  const kinds = listLosses(runs, workloads);
  if (kinds.length === 0) return "Nowhere in these rows.";
  return kinds.map(({ workload, places, peers, ratio, reason }) =>
    bullet(
      `**${workload}**, ${places.join(", ")}: ${peers.join(", ")}, by up to ` +
        `${threeDigits(ratio)} times. ${reason}`,
    )
  ).join("\n");
}

/** Each case of the runs: ours, at its fastest, in times as long as the fastest rival, named where it was ahead the most. */
function casesTable(runs: readonly ResultFile[]): string {
  const cases = Map.groupBy(
    runs.flatMap((run) => run.rows.filter(isMeasured).map((row) => ({ run, row }))),
    ({ row: { workload, params } }) => `${workload} ${describeParams(params)}`,
  );
  const lines = [...cases].flatMap(([title, some]) => {
    const cells = runtimeNames.map((runtime) => {
      const duels = runs.flatMap((run) => {
        const rows = some.filter((one) => one.run === run && one.row.runtime === runtime)
          .map(({ row }) => row);
        const ours = fastest(rows.filter(({ contestant }) => isOurs(contestant)));
        const rival = fastest(
          rows.filter(({ contestant }) => !isOurs(contestant) && !isControl(contestant)),
        );
        if (ours === undefined || rival === undefined) return [];
        return [{ ratio: ours.median / rival.median, name: rival.contestant }];
      });
      if (duels.length === 0) return undefined;
      duels.sort((one, other) => one.ratio - other.ratio);
      const [best, worst] = [duels[0]!, duels.at(-1)!];
      return `${writeRatioRange({ low: best.ratio, high: worst.ratio })} ${worst.name}`;
    });
    if (cells.every((cell) => cell === undefined)) return [];
    return [[title, ...cells.map((cell) => cell ?? "–")]];
  });
  return [markdownTable(["case", ...runtimeNames], lines), runsProvenance(runs)].join("\n\n");
}

const packagePath = new URL("../../package.json", import.meta.url);
const { devDependencies } = JSON.parse(readFileSync(packagePath, "utf8"));

/** Who builds any chain, at which version, and what is to be said of it. */
function contestantsTable(): string {
  const lines = chainContestants.map(({ name, about, package: from, note, set = "all" }) => [
    `\`${name}\``,
    from === undefined ? "–" : `${from} ${devDependencies[from]}`,
    `${about}${note === undefined ? "" : `; ${note}`}`,
    set === "full" ? "`--full`" : set === "all" ? "`--all`" : "always",
  ]);
  return [
    markdownTable(["contestant", "package", "what it is", "measured by"], lines),
    wrapProse(
      "How often a package is downloaded could not be looked up where this was measured, and is " +
        "left out.",
    ),
  ].join("\n\n");
}

/** How many times as long the fastest of some takes as one of ours, in one case. */
interface Comparison {
  readonly workload: string;
  readonly params: Params;
  readonly names: readonly string[];
  /** Ours; default: `pipeline`. */
  readonly over?: string;
}

/** Native streams at default highWaterMarks and at their best. */
const webs = ["web", "web-16"];

/** What is compared most often. */
const realWork = { workload: "real_work", params: { from: "file" } } as const;
const hundred = { workload: "copy_lines", params: { passes: 100 } } as const;
const waiting = { workload: "async_stages", params: { stages: 20 } } as const;

/** Which native streams were measured. */
function nameMarks(runs: readonly ResultFile[]): string {
  const isAtBest = runs.some(({ rows }) => rows.some(({ contestant }) => contestant === "web-16"));
  return `at ${isAtBest ? "their best" : "default"} highWaterMarks`;
}

/** The range of a comparison over the runs. */
function rangeIn(
  runs: readonly ResultFile[],
  runtime: RuntimeName,
  { workload, params, names, over = "pipeline" }: Comparison,
): Range | undefined {
  const query = (contestant: string) => ({ workload, contestant, runtime, params });
  return bestRatioRange(runs, names.map(query), query(over));
}

/** What is said of the library beside others; a sentence for each that was measured. */
const list: readonly (readonly [text: string, Comparison])[] = [
  ["JSON lines, five stages, Web Streams MARKS", { ...realWork, names: webs }],
  ["JSON lines, `node:stream`", { ...realWork, names: ["node"] }],
  ["JSON lines, RxJS, which has no backpressure", { ...realWork, names: ["rxjs"] }],
  ["JSON lines, a hand-written loop", { ...realWork, names: ["hand"] }],
  ["100 stages that do nothing, Web Streams MARKS", { ...hundred, names: webs }],
  ["100 stages that do nothing, RxJS", { ...hundred, names: ["rxjs"] }],
  ["Three chunks through five stages, Web Streams beside `fuse`", {
    ...{ workload: "short_streams", params: {}, names: ["web"], over: "fuse" },
  }],
  ["One stage between native streams, `pipeThrough`", {
    workload: "native_ends",
    params: { stages: 1 },
    names: ["web"],
  }],
  ["No stage between native streams, `pipeTo`", {
    ...{ workload: "native_ends", params: { stages: 0 }, names: ["web"] },
  }],
  ["20 stages that wait, async generators", { ...waiting, names: ["async-generators"] }],
  ["20 stages that wait, a hand-written loop", { ...waiting, names: ["hand"] }],
];

/** Who of the rivals takes the least time, by the end of the range that is least favourable to hosepipe. */
function fastestRival(runs: readonly ResultFile[], runtime: RuntimeName): string[] {
  const rows = runs.flatMap((run) => run.rows);
  const names = new Set(
    rows.filter((row) => row.workload === hundred.workload).map(({ contestant }) => contestant),
  );
  const query = (contestant: string) => ({ ...hundred, contestant, runtime });
  const [first] = [...names].filter((name) => !isOurs(name) && !isControl(name))
    .flatMap((name) => {
      const range = ratioRange(runs, query(name), query("pipeline"));
      return range === undefined ? [] : [{ name, range }];
    }).sort((one, other) => one.range.low - other.range.low);
  if (first === undefined) return [];
  return [`${first.name}, ${writeRatioRange(first.range)} in ${descriptors[runtime].title}`];
}

/** Sentences that the runs support, as a list; each figure the range over all of them. */
function claimsList(runs: readonly ResultFile[]): string {
  const sentences = list.flatMap(([text, comparison]) => {
    const parts = runtimeNames.flatMap((runtime) => {
      const range = rangeIn(runs, runtime, comparison);
      return range === undefined
        ? []
        : [`${writeRatioRange(range)} in ${descriptors[runtime].title}`];
    });
    const subject = text.replace("MARKS", nameMarks(runs));
    return parts.length === 0 ? [] : [`${subject}: ${parts.join(", ")}.`];
  });
  const rivals = runtimeNames.flatMap((runtime) => fastestRival(runs, runtime));
  if (rivals.length > 0) {
    sentences.push(`100 stages that do nothing, the fastest rival: ${rivals.join("; ")}.`);
  }
  return sentences.map((text) => bullet(text)).join("\n");
}

/** The newest committed tables of the three runtimes. */
function latestMeasured(): Measured[] {
  return runtimeNames.map((name) => {
    const { version, facts } = readExpected(name);
    return { name, version, facts };
  });
}

/** Where older versions answer otherwise than the newest of their runtime. */
function olderAnswers(probe: SemanticsProbe): string[] {
  return runtimeNames.flatMap((name) => {
    const newest = readExpected(name);
    return listVersions(name).slice(0, -1).flatMap((version) => {
      const { facts } = readExpected(name, version);
      const only = (all: Facts): Facts => ({ [probe.name]: all[probe.name] ?? {} });
      const table = { facts: only(newest.facts), explanations: {} };
      return compareFacts(table, only(facts)).map(({ place, expected, measured }) => {
        const [, row, column] = place.split(" / ");
        return `- ${name} ${version}, ${row}, ${column}: ${measured ?? "-"}, since then ${
          expected ?? "-"
        }`;
      });
    });
  });
}

/** The answers to one question by the newest committed tables of the three runtimes. */
function semanticsTable(probe: SemanticsProbe): string {
  const measured = latestMeasured();
  const { head, body, differences } = answerTable(probe, measured);
  const versions = measured.map(({ name, version }) => `${name} ${version}`).join(", ");
  const verdict = differences.length === 0 ? wrapProse(`${versions}: all three agree.`) : [
    `${versions} differ where there is "differs":`,
    "",
    ...differences.map((line) => `- ${line}`),
  ].join("\n");
  const older = olderAnswers(probe);
  return [
    wrapProse(probe.note),
    markdownTable(head, body.map((cells) => cells.map((cell) => cell === "*" ? "differs" : cell))),
    verdict,
    ...(older.length === 0 ? [] : [`An older version differs:\n\n${older.join("\n")}`]),
  ].join("\n\n");
}

const queueNames: Readonly<Record<QueueKind, string>> = {
  "sqlite": "SQLite",
  "postgres": "PostgreSQL",
  "redis": "Redis",
  "nats": "NATS",
  "nats-sync": "NATS, `sync_interval: always`",
  "kafka": "Kafka",
  "sqs": "SQS (fauxqs)",
};

const inDigits = (value: number) => value.toLocaleString("en-US");

/** What is added up of the runs, by the titles of the columns. */
const faultCounts = {
  "messages": "messages",
  "workers killed": "kills",
  "other harm": "harms",
  "repeats absorbed": "repeats",
  "lost": "lost",
  "stored twice": "doubled",
  "healthy and dead": "dead",
} as const satisfies Record<string, keyof FaultRun>;

/** What faults did to queues, by the committed runs of `deno task dev consume-faults`: a table of sums, and their list. */
function consumeFaults(): string {
  const runs = readRows<FaultRun>(
    new URL("../../scenarios/consume/faults/runs.jsonl", import.meta.url),
  );
  const cells = (of: readonly FaultRun[]) => [
    `${of.length}`,
    ...Object.values(faultCounts).map((key) =>
      inDigits(of.reduce((all, run) => all + run[key], 0))
    ),
  ];
  const rows = Object.keys(faults).flatMap((name) =>
    queueKinds.flatMap((queue) => {
      const of = runs.filter((run) => run.fault === name && run.queue === queue);
      return of.length > 0 ? [[`\`${name}\`, ${queueNames[queue]}`, ...cells(of)]] : [];
    })
  );
  rows.push(["all", ...cells(runs)]);
  const head = ["fault and queue", "runs", ...Object.keys(faultCounts)];
  const list = Object.entries(faults).map(([name, { about }]) => bullet(`\`${name}\`: ${about}`));
  return `${markdownTable(head, rows)}\n\n${list.join("\n")}`;
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

/** The sizes in KiB of a bundle of what is imported of a module. */
async function measure(module: string, names: string): Promise<[minified: number, zipped: number]> {
  const what = names === "*" ? "*" : `{ ${names} }`;
  const { outputFiles } = await build({
    stdin: { contents: `export ${what} from "./${module}";`, resolveDir: fileURLToPath(root) },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2024",
    write: false,
  });
  const { contents } = outputFiles[0]!;
  return [contents.length / 1024, gzipSync(contents, { level: 9 }).length / 1024];
}

/** The sizes that the page has now, by what is imported. */
function printedSizes(page: string): Map<string, readonly number[]> {
  const rows = page.matchAll(/^\| `([^`]+)` +\| +([\d.]+) KiB +\| +([\d.]+) KiB +\|$/gm);
  return new Map([...rows].map(([, names, ...sizes]) => [names!, sizes.map(Number)]));
}

async function tabulate({ module, document, imports }: Page): Promise<string> {
  const printed = printedSizes(await readFile(new URL(document, root), "utf8"));
  const rows = await Promise.all(imports.map(async (names) => {
    const sizes = (await measure(module, names)).map((size, index) => {
      const before = printed.get(names)?.[index];
      const isClose = before !== undefined && Math.abs(size - before) <= tolerance * before;
      return `${(isClose ? before : size).toFixed(1)} KiB`;
    });
    return [`\`${names}\``, ...sizes];
  }));
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

type Generator = (runs: readonly ResultFile[]) => string;

/** Workloads whose ranges over several runs are shown in docs/research. */
const ranged = ["real_work", "copy_lines", "short_streams", "native_ends", "defaults", "formats"];

const known = await Promise.all(Object.values(workloads).map((load) => load()));

function byName<T>(
  all: readonly T[],
  entry: (one: T) => readonly [string, Generator],
): Readonly<Record<string, Generator>> {
  return Object.fromEntries(all.map(entry));
}

/** What may stand between the marks of a document, by name, from one set of results or from several runs. */
export const generators: Readonly<Record<string, Generator>> = {
  "bench-cases": casesTable,
  "bench-claims": claimsList,
  "bench-contestants": contestantsTable,
  "bench-faster": (runs) => fasterList(runs, known),
  "bench-targets": (runs) => targetsTable(runs, known),
  ...byName(ranged, (name) => [
    `bench-${name.replaceAll("_", "-")}`,
    (runs) => rangeTables(runs, name),
  ]),
  ...byName(semanticsProbes, (probe) => [
    `semantics-${probe.name}`,
    () => semanticsTable(probe),
  ]),
  ...byName(Object.entries(failureTranscripts), ([name, block]) => [name, () => block]),
  "consume-faults": consumeFaults,
  "fleet": fleet,
  "format-sizes": () => formatSizes,
  "headline": headline,
  "import-sizes": () => importSizes,
  "laws-by-platform": lawsByPlatform,
  "queue-throughput": queueThroughput,
  "operators-sources": () => operatorsList("merge", "interval"),
  "operators-stages": () => operatorsList("map", "expand"),
  "operators-text": () => operatorsList("lines", "limitBytes"),
  "semantics-default-marks": semanticsDefaults,
  "semantics-summary": semanticsSummary,
};
