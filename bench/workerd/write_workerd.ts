// Measures pipelines in workerd, seen from outside, and writes bench/results/workerd.json:
//   deno run -A bench/workerd/write_workerd.ts [--rounds N] [--chunks N] [--print]
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";
import { build, stop } from "esbuild";
import { findWorkerd } from "../../runtimes/find_workerd.ts";
import { runProcess } from "../../runtimes/run_process.ts";
import { type RunningWorkerd, withWorkerd } from "../../runtimes/with_workerd.ts";
import { shuffle } from "../measure/shuffle.ts";
import {
  workerdContestants,
  type WorkerdFile,
  workerdMarks,
  type WorkerdRow,
  workerdStages,
} from "./workerd_result.ts";

const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .bench)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const bench :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-01",
);
`;

function refuse(argument: string): never {
  throw new TypeError(`Cannot measure workerd: unknown argument ${argument}`);
}

const flags = parseArgs(process.argv.slice(2), {
  string: ["rounds", "chunks"],
  boolean: ["print"],
  default: { rounds: "3", chunks: "5000" },
  unknown: refuse,
});
const [rounds, chunks] = [Number(flags.rounds), Number(flags.chunks)];
for (const [name, count] of Object.entries({ rounds, chunks })) {
  if (!(Number.isInteger(count) && count > 0)) {
    throw new RangeError(`Cannot measure workerd: ${name} must be a positive integer`);
  }
}
const warmings = 3;
const samples = 5;
const nsPerMs = 1e6;

type Case = Pick<WorkerdRow, "contestant" | "stages" | "marks">;

const cases: readonly Case[] = workerdContestants.flatMap((contestant) =>
  workerdStages.flatMap((stages) => workerdMarks.map((marks) => ({ contestant, stages, marks })))
);

/** The least of a few requests: what disturbs one only adds to it. */
async function leastMs({ ask }: RunningWorkerd, one: Case, count: number): Promise<number> {
  const query = new URLSearchParams(
    Object.entries({ ...one, chunks: count }).map(([name, value]) => [name, String(value)]),
  );
  let least = Infinity;
  for (let sample = -warmings; sample < samples; sample++) {
    const startedAtMs = performance.now();
    await ask(`/?${query}`);
    if (sample >= 0) least = Math.min(least, performance.now() - startedAtMs);
  }
  return least;
}

const executable = findWorkerd();
if (executable === undefined) throw new Error("Cannot find workerd: run npm install");
const { stdout } = await runProcess(executable, ["--version"]);
const found = new Map<Case, number[]>(cases.map((one) => [one, []]));
const folder = await mkdtemp(join(tmpdir(), "hosepipe-workerd-"));
try {
  await build({
    entryPoints: [fileURLToPath(new URL("worker.ts", import.meta.url))],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    logLevel: "error",
  });
  await stop();
  await writeFile(join(folder, "config.capnp"), config);
  for (let round = 0; round < rounds; round++) {
    for (const one of shuffle(cases, Math.random)) {
      // A process for each: what was compiled for one case is not another's.
      await withWorkerd(executable, folder, "config.capnp", async (workerd) => {
        const fullMs = await leastMs(workerd, one, chunks);
        const emptyMs = await leastMs(workerd, one, 0);
        found.get(one)!.push(Math.round((fullMs - emptyMs) * nsPerMs / chunks));
      });
    }
    process.stderr.write(`${round + 1} of ${rounds} rounds\n`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const file: WorkerdFile = {
  version: stdout.trim().replace(/^workerd /, ""),
  chunks,
  rows: [...found].map(([one, nsPerChunk]) => ({ ...one, nsPerChunk })),
};
const text = `${JSON.stringify(file, null, 2)}\n`;
if (flags.print) process.stdout.write(text);
else await writeFile(new URL("../results/workerd.json", import.meta.url), text);
