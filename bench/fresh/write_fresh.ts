// Measures what only a process that has just begun shows, and writes bench/results/fresh.json:
//   deno run -A bench/fresh/write_fresh.ts [rounds] [processes]
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { descriptors } from "../../runtimes/descriptors.ts";
import { findRuntimes } from "../../runtimes/find_runtime.ts";
import { runProcess } from "../../runtimes/run_process.ts";
import { median } from "../results/statistics.ts";
import { type FreshFile, type FreshRow, idleRuns, idleStreams } from "./fresh_result.ts";

const root = new URL("../../", import.meta.url);
const [rounds = 3, processes = 11] = process.argv.slice(2).map(Number);

const folder = await mkdtemp(join(tmpdir(), "hosepipe-fresh-"));
try {
  const packaged = fileURLToPath(new URL("dist/mod.js", root));
  const oneFile = join(folder, "one.mjs");
  await build({ entryPoints: [packaged], bundle: true, format: "esm", outfile: oneFile });
  await stop();
  const cases = [
    ...[5, 20, 60].flatMap((stages) =>
      ["pipeline", "async-generators"].map((contestant) => ({
        ...{ measure: "second-run", contestant, stages, script: "second_run.ts" } as const,
        args: [contestant, String(stages)],
      }))
    ),
    ...[["package", packaged], ["one-file", oneFile]].map(([contestant, file]) => ({
      ...{ measure: "import", contestant: contestant!, stages: 0 } as const,
      ...{ script: "import_module.ts", args: [file!] },
    })),
    ...[...idleRuns, ...idleStreams].map((contestant) => ({
      ...{ measure: "idle", contestant, stages: 0, script: "idle.ts" } as const,
      args: [contestant],
    })),
  ];
  const runtimes = await findRuntimes(runtimeNames);
  const rows: FreshRow[] = [];
  for (const { name, executable } of runtimes) {
    const medians = cases.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      const samples = cases.map((): number[] => []);
      for (let time = 0; time < processes; time++) {
        for (const [index, { script, args }] of cases.entries()) {
          const path = fileURLToPath(new URL(script, import.meta.url));
          const [command, ...rest] = [
            ...[executable, ...descriptors[name].runArguments(["--expose-gc"])],
            ...[path, ...args],
          ];
          const { code, stdout, stderr } = await runProcess(command!, rest);
          if (code !== 0) throw new Error(`Cannot measure ${script} ${args} in ${name}: ${stderr}`);
          samples[index]!.push(Number(stdout));
        }
      }
      samples.forEach((values, index) => medians[index]!.push(median(values)));
      process.stderr.write(`${name}: ${round + 1} of ${rounds} rounds\n`);
    }
    cases.forEach(({ measure, contestant, stages }, index) =>
      rows.push({ measure, runtime: name, contestant, stages, medians: medians[index]! })
    );
  }
  const versions = Object.fromEntries(runtimes.map(({ name, version }) => [name, version]));
  const file: FreshFile = { processes, runtimes: versions, rows };
  await writeFile(new URL("bench/results/fresh.json", root), `${JSON.stringify(file, null, 2)}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
