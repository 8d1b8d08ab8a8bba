// Enumerates in this runtime; `deno task dev enumerate` runs it in each.
import process from "node:process";
import { pathToFileURL } from "node:url";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { resolvePath } from "../../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../../scenarios/command_line/run_command.ts";
import { readEnumerateFlags } from "../../scripts/enumerate.ts";
import { check } from "./check.ts";
import { describeTally, enumerate, type Tally } from "./enumerate.ts";
import { libraryOf, standardOf } from "./implementations.ts";
import { loadReference } from "./reference.ts";
import { sections } from "./schedule.ts";

async function run(args: readonly string[], signal: AbortSignal): Promise<number> {
  const flags = readEnumerateFlags(args);
  const { way, stages, every, examples, json } = flags;
  const library = await import(
    flags.library === undefined ? "../../mod.ts" : pathToFileURL(resolvePath(flags.library)).href
  );
  const { classes, trips } = await loadReference();
  const contestants = {
    reference: standardOf(classes, trips),
    native: standardOf(globalThis),
    library: libraryOf(library),
  };
  // Many runs go on at a time: a clock would end the turns of some for the time that others take.
  performance.now = () => 0;
  if (flags.schedule !== undefined) {
    const schedule = JSON.parse(flags.schedule);
    const [verdict] = await check([schedule], contestants);
    const { library } = verdict!;
    if (json) console.log(JSON.stringify(verdict));
    else console.log(verdict);
    return library !== undefined && library.rule === undefined ? 1 : 0;
  }
  const { name, version } = currentRuntime();
  const tallies: Tally[] = [];
  for (const section of sections) {
    if (signal.aborted) break;
    if (way !== undefined && !way.includes(section.way)) continue;
    if (stages?.some((count) => Number(count) === section.stages) === false) continue;
    const deviations = Math.min(section.deviations, flags.deviations ?? 3);
    const title = `${name} ${section.way}, ${section.stages} × ${section.chunks}`;
    const startedAt = Date.now();
    let saidAt = startedAt;
    tallies.push(
      await enumerate({ ...section, deviations }, {
        contestants,
        ...{
          every,
          signal,
          answers: flags.answers && resolvePath(flags.answers),
          ...(examples === undefined ? {} : { examples }),
        },
        onProgress({ schedules, plainRuns }) {
          if (Date.now() - saidAt < 2000) return;
          saidAt = Date.now();
          process.stderr.write(`${title}: ${schedules} schedules, ${plainRuns} of 18 plain runs\n`);
        },
      }),
    );
  }
  const open = tallies.reduce(
    (sum, { library: { order, moment, outcome } }) => sum + order + moment + outcome,
    0,
  );
  if (json) console.log(JSON.stringify({ runtime: name, version, tallies }));
  else console.log(`${name} ${version}\n${tallies.map(describeTally).join("\n")}`);
  return open > 0 ? 1 : 0;
}

await runCommand(run);
// What hangs in a schedule must not keep the process.
process.exit();
