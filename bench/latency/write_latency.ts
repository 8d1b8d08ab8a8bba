// Measures what a chunk waits, and what it costs, and writes bench/results/latency.json:
//   deno run -A bench/latency/write_latency.ts [rounds]
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { descriptors } from "../../runtimes/descriptors.ts";
import { findRuntimes } from "../../runtimes/find_runtime.ts";
import { runProcess } from "../../runtimes/run_process.ts";
import { latencyContestants, type LatencyFile, type LatencyRound } from "./latency_result.ts";

const [rounds = 3] = process.argv.slice(2).map(Number);
const script = fileURLToPath(new URL("measure_latency.ts", import.meta.url));
// So much that nothing is collected while the garbage of a chunk is counted.
const roomFlags = ["--expose-gc", "--min-semi-space-size=256", "--max-semi-space-size=256"];
const runtimes = await findRuntimes(runtimeNames);
const rows: LatencyFile["rows"][number][] = [];
for (const { name, executable } of runtimes) {
  const found = new Map<string, LatencyRound[]>(latencyContestants.map((one) => [one, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contestant of latencyContestants) {
      const measure = async (what: "waits" | "costs", flags: readonly string[]) => {
        const args = [...descriptors[name].runArguments(flags), script, contestant, what];
        const { code, stdout, stderr } = await runProcess(executable, args);
        if (code !== 0) throw new Error(`Cannot measure ${contestant} in ${name}: ${stderr}`);
        return JSON.parse(stdout);
      };
      const waits = await measure("waits", []);
      found.get(contestant)!.push({ waits, costs: await measure("costs", roomFlags) });
    }
    process.stderr.write(`${name}: ${round + 1} of ${rounds} rounds\n`);
  }
  for (const [contestant, list] of found) rows.push({ runtime: name, contestant, rounds: list });
}
const file: LatencyFile = {
  runtimes: Object.fromEntries(runtimes.map(({ name, version }) => [name, version])),
  rows,
};
const path = new URL("../results/latency.json", import.meta.url);
await writeFile(path, `${JSON.stringify(file, null, 2)}\n`);
