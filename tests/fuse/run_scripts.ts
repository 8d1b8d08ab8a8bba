// Runs random scripts against one native transform stream and one fused stage, and prints each that differs:
//   deno run -A tests/fuse/run_scripts.ts --runs 3000 --seed 1
import process from "node:process";
import { pathToFileURL } from "node:url";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { parseCommandLine } from "../../scripts/command_line/parse_command_line.ts";
import { runCommand } from "../../scripts/command_line/run_command.ts";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { checkScript, simplerScripts } from "./scripts/check_script.ts";
import { randomScript } from "./scripts/random_script.ts";
import type { Script } from "./scripts/script.ts";

await runCommand(async (args) => {
  const given = parseCommandLine(args, {
    command: "deno run -A tests/fuse/run_scripts.ts",
    about: "Runs random scripts with a native transform stream and a fused stage.",
    flags: {
      runs: { kind: "integer", about: "default: 3000", minimum: 1 },
      seed: { kind: "integer", about: "the first script's; default: random" },
      "at-most": { kind: "integer", about: "stops after so many; default: 5", minimum: 1 },
      script: { kind: "text", value: "JSON", about: "runs this script alone" },
      library: { kind: "text", value: "FILE", about: "a mod.ts in place of this checkout's" },
    },
    examples: [
      "deno run -A tests/fuse/run_scripts.ts --runs 100000",
      "deno run -A tests/fuse/run_scripts.ts --seed 42 --runs 1",
    ],
  });
  const library = await import(
    given.library === undefined ? "../../mod.ts" : pathToFileURL(given.library).href
  );
  const unhandled = collectUnhandled();
  const check = (script: Script) => checkScript(script, library);
  if (given.script !== undefined) {
    console.log((await check(JSON.parse(given.script))).join("\n"));
    process.exit(0);
  }
  const runs = given.runs ?? 3000;
  const seed = given.seed ?? Math.floor(Math.random() * 2 ** 31);
  const sign = (problems: readonly string[]) => problems.map((text) => text.split(":")[0]).join();
  let differing = 0;
  for (let run = 0; run < runs && differing < (given["at-most"] ?? 5); run++) {
    let script = randomScript(seed + run);
    let problems = await check(script);
    if (problems.length === 0) continue;
    differing++;
    search: for (;;) {
      for (const simpler of simplerScripts(script)) {
        const found = await check(simpler);
        if (sign(found) !== sign(problems)) continue;
        script = simpler;
        problems = found;
        continue search;
      }
      break;
    }
    console.log(
      `✗ seed ${seed + run}\n    ${problems.join("\n    ")}\n    --script '${
        JSON.stringify(script)
      }'`,
    );
  }
  unhandled.close();
  const { name } = currentRuntime();
  console.log(`${name}: ${runs} scripts from seed ${seed}, ${differing} differ`);
  process.exit(differing > 0 ? 1 : 0);
});
