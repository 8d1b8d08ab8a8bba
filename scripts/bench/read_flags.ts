import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import { parseCommandLine, UsageError } from "../../scenarios/command_line/parse_command_line.ts";
import type { profiles } from "../../bench/measure/profile.ts";
import { thresholdFlag } from "../compare.ts";

const amounts = ["quick", "all", "full", "publish"] as const;

/** Reads the flags of `deno task bench`. */
export function readFlags(args: readonly string[], workloadNames: readonly string[]) {
  const flags = parseCommandLine(args, {
    command: "deno task bench",
    about: "Measures contestants against each other, each case in a process of its own.\n" +
      "Without flags a tour of at most two minutes: real work and copy_lines, a tenth of the\n" +
      "input, the contestants that matter. noop and the workload's control are always measured.",
    flags: {
      workload: { kind: "list", value: "W,…", about: "default: all", choices: workloadNames },
      contestant: { kind: "list", value: "C,…", about: "default: all; see --list --workload W" },
      runtime: { kind: "list", value: "R,…", about: "default: all", choices: runtimeNames },
      "runtime-version": {
        ...{ kind: "list", value: "R@V,…" },
        about: "only these, in versions from npm, such as node@24",
      },
      param: {
        kind: "texts",
        value: "NAME=V,V",
        about: "values of a parameter; see --list --workload W",
      },
      input: { kind: "text", value: "FILE", about: "your own input file" },
      quick: { kind: "boolean", about: "every workload: fewest samples, fewest values" },
      all: { kind: "boolean", about: "every workload; takes half an hour or more" },
      full: { kind: "boolean", about: "most samples, every contestant; takes hours" },
      publish: { kind: "boolean", about: "several whole runs, for the documents" },
      runs: {
        kind: "integer",
        about: "with --publish: how many runs; default: 3",
        minimum: 1,
        maximum: 100,
      },
      json: { kind: "text", value: "FILE", about: "default: bench/results/latest.json" },
      compare: { kind: "text", value: "OLD.json", about: "compare afterwards; exit 3 if slower" },
      threshold: thresholdFlag,
      seed: {
        kind: "integer",
        about: "seed for the order of the cases; default: random",
        maximum: 2 ** 32 - 1,
      },
      verbose: { kind: "boolean", about: "show the noop rows, and targets in words" },
      list: {
        kind: "boolean",
        about: "list workloads; with --workload, its parameters and contestants",
      },
    },
    examples: [
      "deno task bench --workload copy_lines --contestant web,node --param passes=10",
      "deno task bench --quick --runtime node --compare bench/results/published.json",
    ],
  });
  const chosen = amounts.filter((name) => flags[name]);
  if (chosen.length > 1) {
    throw new UsageError(`Choose one of ${chosen.map((name) => `--${name}`).join(", ")}`);
  }
  if (flags.threshold !== undefined && flags.compare === undefined) {
    throw new UsageError("--threshold needs --compare OLD.json");
  }
  if (flags.runs !== undefined && !flags.publish) throw new UsageError("--runs needs --publish");
  for (const name of ["compare", "seed", "input"] as const) {
    if (flags.publish && flags[name] !== undefined) {
      throw new UsageError(`--${name} means nothing to --publish`);
    }
  }
  const versions = readVersions(flags["runtime-version"] ?? []);
  if (versions.size > 0 && flags.runtime !== undefined) {
    throw new UsageError("Choose one of --runtime, --runtime-version");
  }
  const isChosen = flags.workload !== undefined || flags.contestant !== undefined ||
    flags.param.length > 0 || flags.input !== undefined || flags.list;
  const amount: keyof typeof profiles = chosen.at(0) ?? (isChosen ? "all" : "tour");
  return { ...flags, amount, versions };
}

/** Such as `node@24`: the version of each runtime that is named. */
function readVersions(texts: readonly string[]): ReadonlyMap<RuntimeName, string> {
  const versions = new Map<RuntimeName, string>();
  for (const text of texts) {
    const [, name, version] = /^([a-z]+)@(\d+(?:\.\d+){0,2})$/.exec(text) ?? [];
    const runtime = runtimeNames.find((one) => one === name);
    if (runtime === undefined || version === undefined) {
      throw new UsageError(
        `--runtime-version must be one of ${runtimeNames.join(", ")} and a version, such as ` +
          `node@24 or deno@2.9, got ${text}`,
      );
    }
    if (versions.has(runtime)) {
      throw new UsageError(`--runtime-version must name one version of ${runtime}, got two`);
    }
    versions.set(runtime, version);
  }
  return versions;
}
