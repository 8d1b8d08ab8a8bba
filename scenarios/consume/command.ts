import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { currentRuntime, runtimeNames } from "../../runtimes/current_runtime.ts";
import { findRuntime, type Runtime } from "../../runtimes/find_runtime.ts";
import { brokerAddresses } from "./broker.ts";
import { readAddress } from "../secrets/read_address.ts";
import { checkWritable } from "../command_line/check_writable.ts";
import {
  alignColumns,
  parseCommandLine,
  resolvePath,
  UsageError,
} from "../command_line/parse_command_line.ts";
import { runCommand } from "../command_line/run_command.ts";
import { describeVerdict } from "./describe_verdict.ts";
import { runConsume } from "./run_consume.ts";
import type { QueueDepth } from "../../src/queue/mod.ts";
import type { WorkerReport } from "./worker_job.ts";

/** What is shown of a place at which a worker works. */
interface TablePlace {
  readonly runtime: { readonly name: string };
  readonly process: { readonly report: WorkerReport | undefined };
  readonly stored: number;
  readonly repeats: number;
  readonly kills: number;
}

const everyMs = 200;
const number = (value: number) => value.toLocaleString("en");

/** The table as text: a line for each worker, and one for the queue. */
export function describeTable(places: readonly TablePlace[], depth: QueueDepth): string[] {
  const rows = places.map(({ runtime, process: { report }, stored, repeats, kills }, index) => [
    `${index + 1} ${runtime.name}`,
    report === undefined ? "starts" : number(report.inFlight),
    number(stored),
    number(repeats),
    number(kills),
    report?.outage === undefined ? "" : `waits for the ${report.outage}`,
  ]);
  const head = ["worker", "in flight", "lines stored", "repeats", "killed", ""];
  const { waiting, leased, dead } = depth;
  return [
    ...alignColumns([head, ...rows]),
    `queue: ${number(waiting)} waiting, ${number(leased)} leased, ${number(dead)} dead`,
  ];
}

/** Shows the table on a terminal, in its place. */
export class ConsumeTable {
  readonly #stream: { write(text: string): unknown };
  #shownAtMs = -Infinity;
  #height = 0;

  constructor(stream: { write(text: string): unknown }) {
    this.#stream = stream;
  }

  update(places: readonly TablePlace[], depth: QueueDepth, nowMs = performance.now()): void {
    if (nowMs - this.#shownAtMs < everyMs) return;
    this.#shownAtMs = nowMs;
    const lines = describeTable(places, depth);
    const up = this.#height === 0 ? "" : `\x1b[${this.#height}A`;
    this.#stream.write(`${up}${lines.map((line) => `\x1b[2K${line}\n`).join("")}`);
    this.#height = lines.length;
  }

  /** Takes it away. */
  clear(): void {
    if (this.#height > 0) this.#stream.write(`\x1b[${this.#height}A\x1b[0J`);
    this.#height = 0;
  }
}

const maximumMs = 2 ** 31 - 1;
/** Reads the command line of `deno task consume`. */
function readFlags(args: readonly string[]) {
  const flags = parseCommandLine(args, {
    command: "deno task consume",
    about: "Sends messages to a queue, has workers store them, and says whether any is lost.\n" +
      "Ctrl-C lets the workers finish what they have begun.",
    examples: [
      "deno task consume --workers 4 --runtime deno,bun,node --kill-every-ms 500",
      "deno task consume --broker nats://127.0.0.1:4222 --store orders.sqlite",
    ],
    flags: {
      broker: {
        kind: "text",
        value: "sqlite:FILE|SCHEME://HOST",
        about: "kafka, nats, postgres, redis, sqs; default: a SQLite queue, removed at the end",
      },
      store: { kind: "text", value: "FILE", about: "default: a file removed at the end" },
      workers: {
        kind: "integer",
        about: "processes",
        default: 2,
        minimum: 1,
        maximum: 64,
      },
      runtime: {
        kind: "list",
        value: "R,…",
        about: "of the workers, in turn; default: the one that runs this",
        choices: runtimeNames,
      },
      messages: {
        kind: "integer",
        about: "messages to send first",
        default: 20_000,
        maximum: 100_000_000,
      },
      "kill-every-ms": {
        kind: "integer",
        about: "how often to kill a worker and start another; default: never",
        minimum: 1,
        maximum: maximumMs,
      },
      "max-in-flight": {
        kind: "integer",
        about: "messages leased to a worker at a time",
        default: 256,
        minimum: 1,
        maximum: 100_000,
      },
      concurrency: {
        kind: "integer",
        about: "writes of a worker at a time",
        default: 4,
        minimum: 1,
        maximum: 10_000,
      },
      threads: {
        kind: "integer",
        about: "threads of a worker that work on messages; 0: it does so itself",
        default: 0,
        maximum: 64,
      },
      "lease-ms": {
        kind: "integer",
        about: "time until a dead worker's messages go to others",
        default: 5_000,
        minimum: 100,
        maximum: maximumMs,
      },
      "drain-ms": {
        kind: "integer",
        about: "time a worker may take to finish when stopped",
        default: 10_000,
        maximum: maximumMs,
      },
      json: { kind: "boolean", about: "print the verdict as JSON" },
    },
  });
  const { broker } = flags;
  if (broker !== undefined && !brokerAddresses.areLike(broker)) {
    throw new UsageError(
      `--broker must be ${brokerAddresses.about}, got ${readAddress(broker).name}`,
    );
  }
  return flags;
}

type Flags = ReturnType<typeof readFlags>;

/** One for each worker, in turn; each is looked for once. */
async function findWorkers(
  { workers, runtime = [currentRuntime().name] }: Flags,
): Promise<Runtime[]> {
  const found: Runtime[] = [];
  for (const name of runtime) found.push(await findRuntime(name));
  return Array.from({ length: workers }, (_, index) => found[index % found.length]!);
}

async function run(flags: Flags, folder: string, signal: AbortSignal): Promise<number> {
  const { broker = `sqlite:${join(folder, "queue.sqlite")}`, store, messages } = flags;
  const { concurrency, threads, json } = flags;
  const table = process.stderr.isTTY ? new ConsumeTable(process.stderr) : undefined;
  const verdict = await runConsume({
    broker: broker.startsWith("sqlite:")
      ? `sqlite:${resolvePath(broker.slice("sqlite:".length))}`
      : broker,
    store: store ?? join(folder, "store.sqlite"),
    runtimes: await findWorkers(flags),
    messages,
    killEveryMs: flags["kill-every-ms"],
    signal,
    job: {
      concurrency,
      threads,
      maxInFlight: flags["max-in-flight"],
      leaseMs: flags["lease-ms"],
      drainMs: flags["drain-ms"],
      batchSize: 100,
      retryDelayMs: 100,
    },
    onProgress: (places, depth) => table?.update(places, depth),
  }).finally(() => table?.clear());
  if (json) console.log(JSON.stringify(verdict));
  else for (const line of describeVerdict(verdict)) console.log(line);
  return verdict.problems.length === 0 ? 0 : 1;
}

/** The command `deno task consume`; returns its exit code. */
export async function consume(args: readonly string[], signal: AbortSignal): Promise<number> {
  const given = readFlags(args);
  const flags = {
    ...given,
    store: given.store === undefined ? undefined : await checkWritable("--store", given.store, {
      "the queue": given.broker,
    }),
  };
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-consume-"));
  try {
    return await run(flags, folder, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await runCommand(consume);
  // A connection that is about to close must not keep the process.
  process.exit();
}
