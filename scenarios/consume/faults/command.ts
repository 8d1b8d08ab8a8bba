import process from "node:process";
import { findRuntimes, type Runtime } from "../../../runtimes/find_runtime.ts";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { parseCommandLine } from "../../command_line/parse_command_line.ts";
import { runCommand } from "../../command_line/run_command.ts";
import { runConsume } from "../run_consume.ts";
import { type QueueKind, queueKinds, withFaultPlace } from "./fault_place.ts";
import { faults, job } from "./faults.ts";
import { addRow, type FaultRun, rowsFile } from "./fault_run.ts";

const committed = new URL("runs.jsonl", import.meta.url);

function readFlags(args: readonly string[]) {
  return parseCommandLine(args, {
    command: "deno task dev consume-faults",
    about: "Runs workers of a queue while real faults happen: killed and stopped processes, a\n" +
      "parted network, a full disk, a clock that is set, servers that are killed. Counts the\n" +
      "messages lost, stored twice or dead-lettered, and adds each run to the file behind the\n" +
      "table in docs.",
    examples: [
      "deno task dev consume-faults --fault kill --queue sqlite,redis --rounds 10",
      "deno task dev consume-faults --fault disk,clock --results /tmp/faults.json",
    ],
    flags: {
      fault: { kind: "list", value: "F,…", about: "default: all", choices: Object.keys(faults) },
      queue: { kind: "list", value: "Q,…", about: "default: all", choices: queueKinds },
      runtime: {
        kind: "list",
        value: "R,…",
        about: "of the workers, in turn",
        choices: runtimeNames,
      },
      workers: { kind: "integer", about: "processes", default: 4, minimum: 1, maximum: 64 },
      messages: { kind: "integer", about: "default: depends on the fault", minimum: 1 },
      rounds: { kind: "integer", about: "how often each is run", default: 1, minimum: 1 },
      results: { kind: "text", value: "FILE", about: "default: that of the documentation" },
    },
  });
}

/** Runs workers under one fault on one queue. */
async function runFault(
  name: string,
  queue: QueueKind,
  runtimes: readonly Runtime[],
  messages: number | undefined,
  signal: AbortSignal,
): Promise<FaultRun> {
  const fault = faults[name]!;
  let folder = "";
  const prepare = async (made: string) => {
    folder = made;
    return await fault.prepare?.(made) ?? (() => Promise.resolve());
  };
  const env = {};
  return await withFaultPlace(queue, {
    async prepare(made) {
      const end = await prepare(made);
      Object.assign(env, fault.env?.(folder));
      return end;
    },
    env,
  }, async (place) => {
    const startedAt = new Date().toISOString();
    const harm = await fault.begin(place, queue);
    try {
      const verdict = await runConsume({
        ...{ broker: place.broker, store: place.store, runtimes, job, signal },
        messages: messages ?? fault.messages,
        ...harm.plan,
      });
      const { sent, kills, repeats, lost, doubled, dead, problems, elapsedMs } = verdict;
      return {
        ...{ fault: name, queue, startedAt, elapsedMs: Math.round(elapsedMs), messages: sent },
        runtimes: [...new Set(runtimes.map(({ name }) => name))],
        ...{ kills, harms: harm.count(), repeats, lost, doubled, dead, problems },
      };
    } finally {
      await harm.end?.();
    }
  });
}

/** The command `deno task dev consume-faults`; returns its exit code. */
export async function consumeFaults(args: readonly string[], signal: AbortSignal): Promise<number> {
  const flags = readFlags(args);
  const path = rowsFile(flags.results, committed);
  const found = await findRuntimes(flags.runtime);
  const runtimes = Array.from(
    { length: flags.workers },
    (_, index) => found[index % found.length]!,
  );
  let isWrong = false;
  for (let round = 0; round < (flags.rounds); round++) {
    for (const name of flags.fault ?? Object.keys(faults)) {
      const { queues, skip } = faults[name]!;
      if (skip) {
        console.log(`${name}: not tried, ${skip}`);
        continue;
      }
      for (const queue of queues) {
        if (flags.queue !== undefined && !flags.queue.includes(queue)) continue;
        if (signal.aborted) return 1;
        const run = await runFault(name, queue, runtimes, flags.messages, signal);
        if (signal.aborted) return 1;
        await addRow(path, run);
        isWrong ||= run.problems.length > 0 || run.dead > 0;
        console.log(JSON.stringify(run));
      }
    }
  }
  return isWrong ? 1 : 0;
}

if (import.meta.main) {
  await runCommand(consumeFaults);
  // A connection that is about to close must not keep the process.
  process.exit();
}
