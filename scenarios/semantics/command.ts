import { basename } from "node:path";
import process from "node:process";
import { alignColumns, parseCommandLine, wrapProse } from "../command_line/parse_command_line.ts";
import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { describeRuntime, findRuntimes, type Runtime } from "../../runtimes/find_runtime.ts";
import { semanticsProbes } from "./probes.ts";
import { runCommand } from "../command_line/run_command.ts";
import { answerTable } from "./answer_table.ts";
import { compareFacts, describeDifferences, type Difference } from "./compare_facts.ts";
import { readExpected, writeExpected } from "./expected_table.ts";
import type { Measured } from "./measured.ts";
import { summarize } from "./summarize.ts";
import { fileURLToPath } from "node:url";
import { commandOf } from "../../runtimes/descriptors.ts";
import { runProcess } from "../../runtimes/run_process.ts";

const entry = fileURLToPath(new URL("measure.ts", import.meta.url));
const timeoutMs = 120_000;

/**
 * Puts every question to one runtime, in a process of its own.
 *
 * @throws {Error} If that process fails, does not end, or is another runtime than asked for.
 */
async function measureIn(runtime: Runtime, signal: AbortSignal): Promise<Measured> {
  const { name, version } = runtime;
  const [command, ...args] = commandOf(runtime, entry);
  const { code, stdout, output, timedOut } = await runProcess(command, args, { signal, timeoutMs });
  if (code !== 0) {
    const lines = output.trim().split("\n");
    const message = timedOut
      ? `did not end within ${timeoutMs / 1000} s`
      : lines.find((line) => /error/i.test(line)) ?? lines.at(-1)!;
    throw new Error(`Cannot measure ${name} ${version}: ${message.trim()}`);
  }
  const measured: Measured = JSON.parse(stdout);
  if (measured.name !== name || measured.version !== version) {
    throw new Error(
      `Cannot measure ${name} ${version}: ${measured.name} ${measured.version} answered`,
    );
  }
  return measured;
}

/** What a high-water mark does, in a few sentences for a terminal of 80 columns. */
function renderSummary(measured: readonly Measured[]): string {
  return [
    "What does highWaterMark do? Measured just now:",
    "",
    ...summarize(measured).flatMap((sentence, index) => {
      const [first, ...rest] = wrapProse(sentence, 77).split("\n");
      return [`${index + 1}. ${first}`, ...rest.map((line) => `   ${line}`)];
    }),
    "",
    "Every table, errors and endings included: deno task dev semantics --all",
  ].join("\n");
}

/** Every question with its answers, for a terminal of 80 columns. */
function renderAnswers(measured: readonly Measured[]): string {
  return semanticsProbes.map((probe) => {
    const { head, body, differences } = answerTable(probe, measured);
    return [
      probe.question,
      wrapProse(probe.note, 80),
      "",
      ...alignColumns([head, ...body]),
      ...differences.map((line) => `* ${line}`),
    ].join("\n");
  }).join("\n\n\n");
}

/** What tests use instead of the committed tables. */
export interface SemanticsEnvironment {
  readonly folder?: URL;
  readonly print?: (text: string) => void;
}

interface Verdict extends Measured {
  /** The version whose table it was compared with. */
  readonly expected: string;
  readonly differences: readonly Difference[];
}

function judge(measured: Measured, folder: URL | undefined): Verdict {
  const { name, version, facts } = measured;
  const table = readExpected(name, version, folder);
  return { ...measured, expected: table.version, differences: compareFacts(table, facts) };
}

function describeVerdict({ name, version, expected, differences }: Verdict): string {
  const against = `${name} ${version}, expected table of ${expected}: `;
  if (differences.length === 0) return `${against}no difference`;
  const open = differences.filter(({ because }) => because === undefined).length;
  const count = differences.length === 1 ? "1 fact differs" : `${differences.length} facts differ`;
  return `${against}${count}, ${open} not explained\n` +
    describeDifferences(differences);
}

/** The command `deno task dev semantics`; returns its exit code. */
export async function semantics(
  args: readonly string[],
  signal: AbortSignal,
  { folder, print = console.log }: SemanticsEnvironment = {},
): Promise<number> {
  const flags = parseCommandLine(args, {
    command: "deno task dev semantics",
    about: "Measures how highWaterMarks, buffers and ends of streams behave, on Web\n" +
      "streams and node:stream, and compares it with the committed tables in\n" +
      "tests/scenarios/semantics/expected. A difference that no line there explains exits 1.",
    flags: {
      runtime: { kind: "list", value: "R,…", about: "default: all", choices: runtimeNames },
      format: {
        kind: "text",
        value: "FORMAT",
        about: "of what is printed",
        default: "table",
        choices: ["table", "json"],
      },
      all: { kind: "boolean", about: "every table, not only what highWaterMark does" },
      update: { kind: "boolean", about: "save the measured tables as the expected ones" },
    },
    examples: [
      "deno task dev semantics --all",
      "deno task dev semantics --runtime node --format json",
    ],
  });
  const runtimes = await findRuntimes(flags.runtime);
  const isTable = flags.format !== "json";
  if (isTable) print(`${runtimes.map(describeRuntime).join(", ")}\n`);
  const measured: Measured[] = [];
  for (const runtime of runtimes) {
    if (process.stderr.isTTY) process.stderr.write(`… ${describeRuntime(runtime)}`);
    try {
      measured.push(await measureIn(runtime, signal));
    } finally {
      if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
    }
  }
  if (flags.update) {
    for (const one of measured) {
      const file = basename(writeExpected(one, folder).pathname);
      if (isTable) print(`${file}: written`);
    }
    if (isTable) print("");
  }
  const verdicts = measured.map((one) => judge(one, folder));
  if (isTable) {
    print(flags.all ? renderAnswers(measured) : renderSummary(measured));
    print(`\n\n${verdicts.map(describeVerdict).join("\n")}`);
  } else print(JSON.stringify({ schema: 1, runtimes: verdicts }, null, 2));
  const isExplained = verdicts.every(({ differences }) =>
    differences.every(({ because }) => because !== undefined)
  );
  return isExplained ? 0 : 1;
}

if (import.meta.main) await runCommand((args, signal) => semantics(args, signal));
