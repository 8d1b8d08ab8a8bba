// Simulates in this runtime; `deno task dev simulate` says in which.
import "./virtual_clock.ts";
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { resolvePath } from "../../../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../../../scenarios/command_line/run_command.ts";
import { fleetTable } from "../../../scripts/documents/fleet_table.ts";
import { readSimulateFlags, type SimulateFlags } from "../../../scripts/simulate.ts";
import { runFleet } from "./fleet.ts";
import { simulate } from "./simulate.ts";

/** After how many seeds it says how far it is. */
const saidEvery = 1_000;

async function runOneFleet(workers: number, flags: SimulateFlags): Promise<number> {
  const { partitions = 4_096, hours = 24, rate = Math.ceil(workers / 20), seed = 1 } = flags;
  const report = await runFleet(
    { workers, partitions, hours, rate, seed },
    ({ name }) => process.stderr.write(`${name}: over\n`),
  );
  if (flags.results !== undefined) {
    await writeFile(resolvePath(flags.results), `${JSON.stringify(report, undefined, 2)}\n`);
  }
  console.log(fleetTable(report));
  return report.lost + report.disordered === 0 ? 0 : 1;
}

async function run(args: readonly string[], signal: AbortSignal): Promise<number> {
  const flags = readSimulateFlags(args);
  if (flags.workers !== undefined) return await runOneFleet(flags.workers, flags);
  const { runs = 1_000, seed: first = 1, history: isShown } = flags;
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
