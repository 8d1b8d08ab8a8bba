import assert from "node:assert/strict";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { peakRssMiB } from "../measure/measure_case.ts";
import { defineWorkload, integerParam } from "../measure/define_workload.ts";
import {
  CaseRefusal,
  type CaseRequest,
  type PreparedCase,
  type Workload,
} from "../measure/workload.ts";
import {
  describeParams,
  isMeasured,
  noopName,
  type Outcome,
  type ParamValue,
  type Row,
} from "../results/result.ts";
import { readdirSync, readlinkSync } from "node:fs";
import { alignColumns } from "../../scenarios/command_line/parse_command_line.ts";
import { describeFile } from "../text/read_chunks.ts";
import { writeTestFile } from "../text/write_test_file.ts";
import { threeDigits } from "../tables/row_table.ts";
import { contestants, type ServeFile } from "./contestants.ts";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { currentRuntime } from "../../runtimes/current_runtime.ts";

/** What the load's process found. */
interface LoadResult {
  /** Of the file as it came over the wire. */
  readonly digest: string;
  /** Bytes of bodies, those of unfinished answers included. */
  readonly bytes: number;
  readonly elapsedMs: number;
  /** Answers that ended. */
  readonly answers: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
}

const script = fileURLToPath(new URL("./load.mjs", import.meta.url));

/** Asks for `url` over `connections` for this many seconds, from a process of its own under Node. */
async function runLoad(
  url: string,
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  const node = currentRuntime().name === "node"
    ? process.execPath
    : process.env.HOSEPIPE_NODE || "node";
  const { stdout } = await promisify(execFile)(node, [
    script,
    url,
    String(connections),
    String(seconds),
  ]);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}

/** The columns of serve_file, by their titles. */
const columns: Readonly<Record<string, string>> = {
  "requests/s": "requestsPerSecond",
  "MiB/s": "MiBPerSecond",
  "p50 ms": "p50Ms",
  "p99 ms": "p99Ms",
  "errors": "errors",
  "idle MiB": "idleRssMiB",
  "peak MiB": "peakRssMiB",
  "arrayBuffers MiB": "arrayBuffersMiB",
  "files before": "filesBefore",
  "files after": "filesAfter",
  "CPU ms": "cpuMs",
};

/** The heading of serve_file's tables, after the contestant. */
const serveFileHead: readonly string[] = Object.keys(columns);

function cell(value: string | number | undefined): string {
  if (value === undefined || value === -1) return "–";
  if (typeof value === "string") return value;
  return Number.isInteger(value) ? String(value) : threeDigits(value);
}

/** A row's cells; a row that was not measured has none, and its reason stands below the table. */
function serveFileCells(row: Row): readonly string[] {
  return Object.values(columns).map((name, index) => {
    if (isMeasured(row)) {
      // No answer ended within the run, so nothing is known of how long one takes.
      const isUnknown = row.chunks === 0 && (name === "p50Ms" || name === "p99Ms");
      return isUnknown ? "–" : cell(row.extra?.[name]);
    }
    return index === 0 ? (row.refused ? "refused" : "failed") : "–";
  });
}

/** Renders the rows of serve_file: a table for each set of parameters and runtime, contestants down. */
function serveFileTable(rows: readonly Row[]): string {
  const real = rows.filter(({ contestant }) => contestant !== noopName);
  const groups = Map.groupBy(
    real,
    ({ params, runtime, runtimeVersion }) =>
      `serve_file  ${describeParams(params)}  ${runtime} ${runtimeVersion}`,
  );
  return [...groups].map(([title, group]) => {
    const sorted = group.toSorted((one, other) => one.contestant < other.contestant ? -1 : 1);
    return [
      title,
      ...alignColumns([
        ["", ...serveFileHead],
        ...sorted.map((row) => [row.contestant, ...serveFileCells(row)]),
      ]),
      ...sorted.flatMap((row) => isMeasured(row) ? [] : [`${row.contestant}: ${row.error}`]),
    ].join("\n");
  }).join("\n\n");
}

/** Files below `folder` that this process holds open; -1 where the system does not tell. */
function openFilesBelow(folder: string): number {
  if (process.platform !== "linux") return -1;
  return readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).startsWith(folder);
    } catch {
      // Closed while we were looking.
      return false;
    }
  }).length;
}

/** What was seen of this process's memory, in MiB. */
interface MemoryRecord {
  /** Twice a second, from the start on. */
  readonly rssMiB: readonly number[];
  /** The most that ArrayBuffers held. */
  readonly arrayBuffersMiB: number;
}

/** Looks at this process's memory until it is stopped. */
function watchMemory(): () => MemoryRecord {
  const rssMiB: number[] = [];
  let arrayBuffersMiB = 0;
  const look = () => {
    const { rss, arrayBuffers } = process.memoryUsage();
    rssMiB.push(Math.round(rss / 2 ** 20));
    arrayBuffersMiB = Math.max(arrayBuffersMiB, arrayBuffers / 2 ** 20);
  };
  look();
  const timer = setInterval(look, 500);
  return () => {
    clearInterval(timer);
    look();
    return { rssMiB, arrayBuffersMiB };
  };
}

const share = 0.6;
const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/**
 * Refuses a case whose connections would hold a whole file each, if that is more than 60 % of memory.
 *
 * @throws {CaseRefusal} Naming the figures.
 */
function refuseBuffers(size: number, connections: number, memory = totalmem()): void {
  const needed = size * connections;
  if (needed <= memory * share) return;
  throw new CaseRefusal(
    `refused: ${connections} connections with a copy of the file each need ${gib(needed)}, ` +
      `more than 60 % of this machine's ${gib(memory)}`,
  );
}

const name = "file.bin";

const round = (value: number) => Math.round(value * 100) / 100;

/** Files are closed a moment after a connection breaks. */
async function remainingFiles(folder: string): Promise<number> {
  for (let tries = 0; tries < 50 && openFilesBelow(folder) > 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return openFilesBelow(folder);
}

async function prepare(
  serve: ServeFile,
  { contestant, params }: CaseRequest,
): Promise<PreparedCase> {
  const { size, connections, seconds } = params as Record<string, number>;
  if (contestant.startsWith("buffer")) refuseBuffers(size!, connections!);
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-serve-file-")));
  await writeTestFile(join(folder, name), size!);
  const { digest } = await describeFile(join(folder, name), 1);
  const server = await serve({ folder, name });
  let outcome: Outcome | undefined;
  return {
    isTimeGiven: true,
    async run() {
      const idleRssMiB = process.memoryUsage().rss / 2 ** 20;
      const filesBefore = openFilesBelow(folder);
      const cpuBefore = process.cpuUsage();
      const stopWatching = watchMemory();
      const load = await runLoad(`http://127.0.0.1:${server.port}/${name}`, connections!, seconds!);
      const { rssMiB, arrayBuffersMiB } = stopWatching();
      const { user, system } = process.cpuUsage(cpuBefore);
      assert.equal(load.digest, digest, "another file was sent");
      const elapsedSeconds = load.elapsedMs / 1000;
      const extra: Record<string, ParamValue> = {
        requestsPerSecond: round(load.answers / elapsedSeconds),
        MiBPerSecond: round(load.bytes / 2 ** 20 / elapsedSeconds),
        p50Ms: load.p50Ms,
        p99Ms: load.p99Ms,
        errors: load.errors,
        idleRssMiB: round(idleRssMiB),
        peakRssMiB: round(peakRssMiB()),
        arrayBuffersMiB: round(arrayBuffersMiB),
        filesBefore,
        filesAfter: await remainingFiles(folder),
        cpuMs: Math.round((user + system) / 1000),
        rssMiB: rssMiB.join(" "),
      };
      outcome = { chunks: load.answers, bytes: load.bytes, digest: load.digest, extra };
    },
    verify: () => outcome!,
    async dispose() {
      await server.close(0);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Sends one big file to many clients at once: what is held in memory for them, and how fast it goes. */
export const serveFile: Workload = defineWorkload({
  name: "serve_file",
  about:
    "serve one file over HTTP to many connections; the load is autocannon, a process of its own",
  params: {
    size: integerParam("size", {
      about: "bytes of the file",
      maximum: 2 ** 40,
      values: [32 * 2 ** 20],
      quick: [4 * 2 ** 20],
      full: [220_000_000],
    }),
    connections: integerParam("connections", {
      ...{ about: "connections at once", values: [20], quick: [10], full: [100] },
    }),
    seconds: integerParam("seconds", {
      ...{ about: "how long it is asked for", values: [5], quick: [1], full: [30] },
    }),
  },
  contestants,
  whyNoControl: "how long it takes is a parameter; what counts is how much is sent and held",
  helpers: ["node"],
  prepare,
  renderRows: serveFileTable,
});
