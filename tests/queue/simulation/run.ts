// Simulates in this runtime; `deno task dev simulate` says in which.
import "./virtual_turns.ts";
import process from "node:process";
import { runCommand } from "../../../scenarios/command_line/run_command.ts";
import { readSimulateFlags } from "../../../scripts/simulate/flags.ts";
import { simulate } from "./simulate.ts";

/** After how many seeds it says how far it is. */
const saidEvery = 1_000;

async function run(args: readonly string[], signal: AbortSignal): Promise<number> {
  const { runs = 1_000, seed: first = 1, history: isShown } = readSimulateFlags(args);
  const sum = { seeds: 0, messages: 0, kills: 0, events: 0 };
  let isBroken = false;
  for (let seed = first; seed < first + runs && !signal.aborted && !isBroken; seed++) {
    const { problems, history, messages, kills } = await simulate(seed);
    isBroken = problems.length > 0;
    if (isShown || isBroken) console.log(`seed ${seed}\n${history}`);
    for (const problem of problems) console.log(`seed ${seed}: ${problem}`);
    sum.seeds++;
    sum.messages += messages;
    sum.kills += kills;
    sum.events += history.events.length;
    // Turns are virtual within a seed: here signals are heard.
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (sum.seeds % saidEvery === 0) process.stderr.write(`${sum.seeds} seeds\n`);
  }
  const [seeds, messages, kills, events] = Object.values(sum).map((count) =>
    count.toLocaleString("en-US")
  );
  console.log(`${seeds} seeds, ${messages} messages, ${kills} kills, ${events} events`);
  return isBroken ? 1 : 0;
}

await runCommand(run);
