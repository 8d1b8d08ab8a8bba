import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { currentRuntime } from "../runtimes/current_runtime.ts";
import { findRuntime, type Runtime } from "../runtimes/find_runtime.ts";
import { checkWritable } from "./command_line/check_writable.ts";
import { resolvePath } from "./command_line/resolve_path.ts";
import { runCommand } from "./command_line/run_command.ts";
import { ConsumeTable } from "./consume/consume_table.ts";
import { describeVerdict } from "./consume/describe_verdict.ts";
import { type ConsumeFlags, readConsumeFlags } from "./consume/read_consume_flags.ts";
import { runConsume } from "./consume/run_consume.ts";

/** One for each worker, in turn; each is looked for once. */
async function findWorkers({ workers, runtimes }: ConsumeFlags): Promise<Runtime[]> {
  const found: Runtime[] = [];
  for (const name of runtimes ?? [currentRuntime().name]) found.push(await findRuntime(name));
  return Array.from({ length: workers }, (_, index) => found[index % found.length]!);
}

async function run(flags: ConsumeFlags, folder: string, signal: AbortSignal): Promise<number> {
  const { broker = `sqlite:${join(folder, "queue.sqlite")}`, store, messages, killEveryMs } = flags;
  const { maxInFlight, concurrency, threads, leaseMs, drainMs, json } = flags;
  const table = process.stderr.isTTY ? new ConsumeTable(process.stderr) : undefined;
  const verdict = await runConsume({
    broker: broker.startsWith("sqlite:")
      ? `sqlite:${resolvePath(broker.slice("sqlite:".length))}`
      : broker,
    store: store ?? join(folder, "store.sqlite"),
    runtimes: await findWorkers(flags),
    messages,
    killEveryMs,
    signal,
    job: { maxInFlight, concurrency, threads, leaseMs, drainMs, batchSize: 100, retryDelayMs: 100 },
    onProgress: (places, depth) => table?.update(places, depth),
  }).finally(() => table?.clear());
  if (json) console.log(JSON.stringify(verdict));
  else for (const line of describeVerdict(verdict)) console.log(line);
  return verdict.problems.length === 0 ? 0 : 1;
}

/** The command `deno task consume`; returns its exit code. */
export async function consume(args: readonly string[], signal: AbortSignal): Promise<number> {
  const given = readConsumeFlags(args);
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
