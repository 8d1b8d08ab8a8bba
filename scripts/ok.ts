import process from "node:process";
import { descriptors } from "../runtimes/descriptors.ts";
import { parseCommandLine } from "../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { runProcess } from "../runtimes/run_process.ts";
import { packageFaces } from "./gate/package_faces.ts";
import { type Counts, stepCounts } from "./gate/step_counts.ts";
import { findRuntimes } from "../runtimes/find_runtime.ts";

const root = new URL("../", import.meta.url);

interface Step {
  readonly name: string;
  /** Arguments for Deno. */
  readonly arguments: readonly string[];
  /** Whether it ends in "N passed, N failed", which is then what it counts for; otherwise it counts as one. */
  readonly countsTests?: boolean;
}

const script = (path: string, ...flags: string[]) => ["run", "--allow-all", path, ...flags];

const steps: readonly Step[] = [
  { name: "lock file is current", arguments: ["install", "--frozen"] },
  { name: "format", arguments: ["fmt", "--check"] },
  { name: "lint", arguments: ["lint"] },
  { name: "types, those of the examples, too", arguments: script("scripts/gate/check_types.ts") },
  { name: "types, in a browser", arguments: script("scripts/gate/check_browser_types.ts") },
  {
    name: "documentation of every symbol",
    arguments: ["doc", "--lint", ...packageFaces.values()],
  },
  {
    name: "signatures are current",
    arguments: script("scripts/gate/write_signatures.ts", "--check"),
  },
  { name: "imports run one way", arguments: script("scripts/gate/check_imports.ts") },
  { name: "one public symbol per file", arguments: script("scripts/gate/check_exports.ts") },
  { name: "no test waits by the clock", arguments: script("scripts/gate/check_waits.ts") },
  { name: "plain words", arguments: script("scripts/gate/check_words.ts") },
  { name: "manifests agree", arguments: script("scripts/gate/check_manifests.ts") },
  {
    name: "ready to publish",
    // Its types have been checked with all others; what JSR wants of them is still looked for.
    arguments: ["publish", "--dry-run", "--allow-dirty", "--no-check"],
  },
  {
    name: "packed, installed, used; types, in projects outside",
    arguments: script("scripts/gate/check_package.ts"),
  },
  { name: "README is current", arguments: script("scripts/readme.ts", "--check") },
  {
    name: "tests",
    arguments: script("scripts/test.ts", "--all", "--slowest", "20"),
    countsTests: true,
  },
];

function describe({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

interface Run {
  /** Deno's. */
  readonly executable: string;
  /** Where the runtimes are, for the checks: each would ask npm. Tests ask, as users do. */
  readonly places: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly total: { passed: number; failed: number; skipped: number };
}

/** Runs a step, and says what it came to. */
async function runStep(step: Step, { executable, places, signal, total }: Run): Promise<void> {
  const { code, output, elapsedMs } = await runProcess(executable, step.arguments, {
    cwd: root,
    env: {
      ...process.stdout.isTTY ? {} : { NO_COLOR: "1" },
      ...step.countsTests ? {} : places,
    },
    signal,
    // Tests take minutes: what they say is shown as it comes.
    onOutput: step.countsTests ? (text) => process.stdout.write(text) : undefined,
  });
  if (signal.aborted) return;
  const counts = stepCounts(code, output, step.countsTests);
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += counts[key];
  const detail = step.countsTests ? `: ${describe(counts)}` : "";
  const seconds = (elapsedMs / 1000).toFixed(1);
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
  console.log(`${counts.failed === 0 ? "✓" : "✗"} ${step.name}${detail} (${seconds} s)`);
  if (counts.failed > 0 && !step.countsTests) {
    console.log(output.trimEnd().replace(/^/gm, "    "));
  }
}

/** Runs steps one after the other, whether or not an earlier one failed. */
async function runInTurn(some: readonly Step[], run: Run): Promise<void> {
  for (const step of some) if (!run.signal.aborted) await runStep(step, run);
}

/** Runs the checks, and the tests beside them, and returns the exit code. */
async function runSteps(args: readonly string[], signal: AbortSignal): Promise<number> {
  const { only, rest } = parseCommandLine(args, {
    command: "deno task ok",
    about: "The whole gate: every check and test that CI runs.\n" +
      `Steps: ${steps.map(({ name }) => name).join("; ")}.`,
    flags: {
      rest: { kind: "boolean", about: "leave out the tests that deno task test --thorough 1 runs" },
      only: {
        kind: "text",
        value: "PART",
        about: "the checks or the tests; default: both",
        choices: ["checks", "tests"],
      },
    },
    examples: ["deno task ok", "deno task ok --only checks", "deno task ok | tee ok.txt"],
  });
  const runtimes = await findRuntimes(only === "tests" ? ["deno"] : undefined);
  const { executable } = runtimes.find(({ name }) => name === "deno")!;
  const places = Object.fromEntries(
    runtimes.map(({ name, executable }) => [descriptors[name].variable, executable]),
  );
  const run: Run = { executable, places, signal, total: { passed: 0, failed: 0, skipped: 0 } };
  const [install, ...others] = rest
    ? steps.map((step) => ({
      ...step,
      arguments: step.arguments.map((word) => word === "--all" ? "--rest" : word),
    }))
    : steps;
  // Before all others, which need what it installs.
  await runInTurn([install!], run);
  await Promise.all([
    only === "tests" ? undefined : runInTurn(others.filter((step) => !step.countsTests), run),
    only === "checks" ? undefined : runInTurn(others.filter((step) => step.countsTests), run),
  ]);
  if (signal.aborted) return 1;
  console.log(describe(run.total));
  return run.total.failed === 0 ? 0 : 1;
}

await runCommand(runSteps);
