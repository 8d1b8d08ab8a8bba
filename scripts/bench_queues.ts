import { existsSync } from "node:fs";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { batchSize, type QueueContestant, toBody } from "../bench/queues/contestant.ts";
import { type ContestantEntry, contestants } from "../bench/queues/contestants.ts";
import { openStore } from "../bench/queues/open_store.ts";
import { type RuntimeName, runtimeNames } from "../runtimes/current_runtime.ts";
import { findRuntime, type Runtime } from "../runtimes/find_runtime.ts";
import { runInRuntime } from "../runtimes/run_in_runtime.ts";
import { BenchWorker } from "./bench_queues/bench_worker.ts";
import { describeRows } from "./bench_queues/describe_rows.ts";
import type { QueueRow } from "./bench_queues/queue_row.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { resolvePath } from "./command_line/resolve_path.ts";
import { runCommand } from "./command_line/run_command.ts";
import { withFaultPlace } from "./consume_faults/fault_place.ts";
import { measuredHere } from "./rows/measured.ts";
import { addRow } from "./rows/rows_file.ts";

const rivals = new URL("../bench/queues/rivals/node_modules/", import.meta.url);

function readFlags(args: readonly string[]) {
  return parseCommandLine(args, {
    command: "deno task dev bench-queues",
    about:
      "Compares this library's queues with pg-boss, Graphile Worker, BullMQ and loops by hand:\n" +
      "messages a second, CPU time of the workers per message, and the time from send to stored.\n" +
      "Each contestant has its own server and worker processes, and stores its results on that\n" +
      "same server. Install the rivals first: npm install --prefix bench/queues/rivals",
    examples: [
      "deno task dev bench-queues --messages 50000 --workers 1,4",
      "deno task dev bench-queues --contestant pg-boss,hosepipe-postgres --address postgres://…",
    ],
    flags: {
      contestant: {
        kind: "list",
        value: "C,…",
        about: "default: all",
        choices: Object.keys(contestants),
      },
      workers: {
        kind: "list",
        value: "N,…",
        about: "processes; default: 1,4",
        choices: ["1", "2", "4", "8"],
      },
      messages: {
        kind: "integer",
        about: "sent before the workers go; default: 20000",
        minimum: 1,
      },
      timed: {
        kind: "integer",
        about: "sent one each 5 ms, to see how long each takes; default: 1000",
        minimum: 1,
      },
      samples: { kind: "integer", about: "how often each is run; default: 3", minimum: 1 },
      runtime: { kind: "text", value: "R", about: "default: node", choices: runtimeNames },
      address: {
        kind: "text",
        value: "ADDRESS",
        about: "an empty database to use; default: servers of its own that do not sync",
      },
      json: {
        kind: "text",
        value: "FILE",
        about: "add each sample to a file, a line of JSON each",
      },
    },
  });
}

/** Runs one contestant once. */
async function measure(
  name: string,
  { module }: ContestantEntry,
  address: string,
  runtime: Runtime,
  plan: { readonly workers: number; readonly messages: number; readonly timed: number },
): Promise<QueueRow> {
  const { workers: count, messages, timed } = plan;
  const path = new URL(`../bench/queues/${module}`, import.meta.url).href;
  const contestant = await import(path) as QueueContestant;
  const measuredAt = new Date().toISOString();
  const here = await measuredHere();
  const store = openStore(address);
  await store.setUp();
  const sender = await contestant.open(address);
  const workers: BenchWorker[] = [];
  try {
    await sender.setUp();
    for (let from = 0; from < messages; from += 1_000) {
      const size = Math.min(1_000, messages - from);
      const now = Date.now();
      await sender.send(
        Array.from({ length: size }, (_, index) => toBody(`m${from + index}`, now)),
      );
    }
    const savesItself = module === "hand_postgres.ts";
    for (let index = 0; index < count; index++) {
      workers.push(new BenchWorker(runtime, module, address, savesItself));
    }
    await Promise.all(workers.map(({ ready }) => ready));
    const stored = () => workers.reduce((sum, worker) => sum + worker.stored, 0);
    const untilStored = async (wanted: number) => {
      while (stored() < wanted) {
        for (const { failure } of workers) if (failure !== undefined) throw failure;
        await wait(5);
      }
    };
    const startedAt = performance.now();
    for (const worker of workers) worker.say("go");
    await untilStored(messages);
    const elapsedMs = performance.now() - startedAt;
    const cpuMs = workers.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    for (const worker of workers) worker.say("latency");
    await wait(500);
    for (let index = 0; index < timed; index++) {
      await sender.send([toBody(`t${index}`, Date.now())]);
      await wait(5);
    }
    await untilStored(messages + timed);
    for (const worker of workers) worker.say("end");
    const latencies = (await Promise.all(workers.map(({ ended }) => ended))).flat();
    const kept = await store.count();
    if (kept !== messages + timed) {
      throw new Error(`${name} has stored ${kept} of ${messages + timed} messages`);
    }
    latencies.sort((one, other) => one - other);
    const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))]!;
    return {
      ...{ contestant: name, runtime: runtime.name, workers: count, messages, batchSize },
      perSecond: messages / elapsedMs * 1_000,
      cpuMicroseconds: cpuMs / messages * 1_000,
      ...{ medianMs: at(0.5), p99Ms: at(0.99) },
      ...{ startedAt: measuredAt, ...here },
    };
  } finally {
    for (const worker of workers) worker.kill();
    await sender.close();
    await store.close();
  }
}

/** The command `deno task dev bench-queues`; returns its exit code. */
export async function benchQueues(args: readonly string[], signal: AbortSignal): Promise<number> {
  const flags = readFlags(args);
  const runtime = await findRuntime((flags.runtime ?? "node") as RuntimeName);
  const names = flags.contestant ?? Object.keys(contestants);
  const rows: QueueRow[] = [];
  for (let sample = 0; sample < (flags.samples ?? 3); sample++) {
    for (const workers of flags.workers ?? ["1", "4"]) {
      for (const name of names) {
        if (signal.aborted) return 1;
        const entry = contestants[name]!;
        if (entry.module.startsWith("rivals/") && !existsSync(rivals)) {
          console.log(`${name}: not run; first: npm install --prefix bench/queues/rivals`);
          continue;
        }
        const plan = {
          workers: Number(workers),
          messages: flags.messages ?? 20_000,
          timed: flags.timed ?? 1_000,
        };
        const row = flags.address === undefined
          ? await withFaultPlace(
            entry.server,
            {},
            ({ broker }) => measure(name, entry, broker, runtime, plan),
          )
          : await measure(name, entry, flags.address, runtime, plan);
        rows.push(row);
        if (flags.json !== undefined) {
          await addRow(resolvePath(flags.json), row);
        }
      }
    }
  }
  console.log(describeRows(rows));
  return 0;
}

if (import.meta.main) {
  // Node's own clients are the rivals': so it is Node that sends and measures, too.
  if (process.versions.deno === undefined) {
    await runCommand(benchQueues);
    process.exit();
  }
  await runCommand(async (args, signal) =>
    await runInRuntime(await findRuntime("node"), fileURLToPath(import.meta.url), args, signal)
  );
}
