// Runs random chains natively and by the library, and prints each that differs, made as simple as it still does:
//   deno run -A tests/fuse/run_chains.ts --way fused --runs 3000 --seed 1
// The same works with `bun run` and `node --import ./node_compat/register.mjs`.
import process from "node:process";
import { pathToFileURL } from "node:url";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { parseCommandLine } from "../../scenarios/command_line/parse_command_line.ts";
import { UsageError } from "../../scenarios/command_line/usage_error.ts";
import { runCommand } from "../../scenarios/command_line/run_command.ts";
import type { Chain, Way } from "./chains/chain.ts";
import { ChainProbe } from "./chains/chain_probe.ts";
import { checkChain } from "./chains/check_chain.ts";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { findDifferences } from "./chains/find_differences.ts";
import { runChain } from "./chains/run_chain.ts";

function readProbed(value: string | undefined): "ours" | "native" | undefined {
  if (value === undefined || value === "ours" || value === "native") return value;
  throw new UsageError(`--probed must be ours or native, got ${value}`);
}

await runCommand(async (args) => {
  const given = parseCommandLine(args, {
    command: "deno run -A tests/fuse/run_chains.ts",
    about: "Runs random chains natively and by the library, and prints each that differs.",
    flags: {
      way: { kind: "list", about: "default: both", choices: ["fused", "run"] },
      runs: { kind: "integer", about: "chains a way; default: 3000", minimum: 1 },
      seed: { kind: "integer", about: "the first chain's; default: random" },
      "at-most": {
        kind: "integer",
        about: "stops after so many that differ; default: 5",
        minimum: 1,
      },
      chain: {
        kind: "text",
        value: "JSON",
        about: "runs this chain alone and prints its outcomes",
      },
      probed: {
        kind: "text",
        value: "ours|native",
        about: "runs each with a probe around every part and with none, and compares those",
      },
      library: { kind: "text", value: "FILE", about: "a mod.ts in place of this checkout's" },
      brief: { kind: "boolean", about: "prints problems and seeds alone" },
    },
    examples: [
      "deno run -A tests/fuse/run_chains.ts --runs 300000 --way fused",
      "deno run -A tests/fuse/run_chains.ts --seed 42 --runs 1",
    ],
  });
  const library = await import(
    given.library === undefined ? "../../mod.ts" : pathToFileURL(given.library).href
  );
  const ways = (["fused", "run"] as const).filter((way) => given.way?.includes(way) ?? true);
  const { name, version } = currentRuntime();
  const probed = readProbed(given.probed);
  if (given.chain !== undefined) {
    const chain: Chain = JSON.parse(given.chain);
    const unhandled = collectUnhandled();
    for (const way of ways) {
      for (const isNative of [true, false]) {
        console.log(`${way} ${isNative ? "native" : "ours"}`);
        console.log(await runChain(chain, way, isNative, library));
        console.log("unhandled:", unhandled.take());
      }
      if (probed !== undefined) {
        console.log(`${way} probed ${probed}`);
        const probe = new ChainProbe();
        console.log(await runChain(chain, way, probed === "native", library, {}, probe));
      }
      console.log("problems:", await checkChain(chain, way, library, unhandled.take));
    }
    process.exit(0);
  }
  const runs = given.runs ?? 3000;
  const seed = given.seed ?? Math.floor(Math.random() * 2 ** 31);
  let differing = 0;
  for (const way of ways as Way[]) {
    const startedAt = performance.now();
    const found = await findDifferences({
      way,
      runs,
      seed,
      library,
      probed,
      atMost: given["at-most"] ?? 5,
      onProgress: (done) => {
        if (process.stderr.isTTY && done % 500 === 0) {
          process.stderr.write(`\r${way} ${done} of ${runs}`);
        }
      },
    });
    differing += found.length;
    for (const { seed, chain, problems } of found) {
      console.log(`✗ ${way} --runs 1 --seed ${seed}\n    ${problems.join("\n    ")}`);
      if (!given.brief) console.log(`    --way ${way} --chain '${JSON.stringify(chain)}'`);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      `${name} ${version}, ${way}${
        probed === undefined ? "" : `, probed ${probed}`
      }: ${runs} chains from seed ${seed}, ${found.length} differ (${seconds.toFixed(1)} s)`,
    );
  }
  // What hangs in a chain must not keep the process.
  process.exit(differing > 0 ? 1 : 0);
});
