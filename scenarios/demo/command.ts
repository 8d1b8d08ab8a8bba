import process from "node:process";
import { fileURLToPath } from "node:url";
import { currentRuntime, type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import { seededRandom } from "../concurrency/seeded_random.ts";
import { messageDelays } from "../concurrency/last_admitting_sink.ts";
import type { DemoApi } from "./demo_event.ts";
import { type Demo, demos } from "./demos.ts";
import { createRenderer, type DemoFormat, demoFormats } from "./render/create_renderer.ts";
import type { RenderTarget } from "./render/hose_state.ts";
import { createStyle } from "./render/style.ts";
import { runDemo } from "./run_demo.ts";
import { parseCommandLine, UsageError } from "../command_line/parse_command_line.ts";
import { type NeedsOf, runCommand } from "../command_line/run_command.ts";
import { runInRuntime } from "../../runtimes/run_in_runtime.ts";
import { describeRuntime, findRuntime } from "../../runtimes/find_runtime.ts";

const apis = ["web", "node", "both"] as const;
const numbers = demos.map(({ number }) => number);

/** How a demo is to be run and shown. */
export interface DemoCommand {
  readonly demo: Demo;
  readonly api: (typeof apis)[number];
  readonly runtimes: readonly RuntimeName[];
  readonly format: DemoFormat;
  readonly seed: number;
  readonly timeScale: number;
  /** Whether to say what to try next. */
  readonly isFirst: boolean;
}

/** What runs without a number: so that it takes some ten seconds. */
const first = { number: "03", format: "live", timeScale: 1.3 } as const;

const tryNext = [
  "Try next:",
  "  deno task demo 03 --api both   the same beside node streams",
  "  deno task demo 02              what happens without a writer",
  "  deno task demo 06              ten writes at a time",
  "  deno task demo --help          all demos and their numbers",
];

/** The output of a demo: a terminal or anything else. */
export interface DemoOutput extends Pick<RenderTarget, "write" | "columns"> {
  readonly isTerminal: boolean;
  readonly isColoured: boolean;
}

function readTimeScale(text: string): number {
  const value = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : NaN;
  if (value >= 0 && value <= 100) return value;
  throw new UsageError(
    `--time-scale must be a number from 0 to 100, got ${JSON.stringify(text)}`,
  );
}

/** Reads the command line of `deno task demo`. */
export function readDemoCommand(args: readonly string[]): DemoCommand {
  const { _, ...flags } = parseCommandLine(args, {
    command: "deno task demo",
    about: [
      "Shows where messages wait in a pipeline of reader, transformer and writer.",
      "Without a number: 03, live, for about ten seconds.",
      "",
      ...demos.map(({ number, title }) => `  ${number}  ${title}`),
    ].join("\n"),
    positional: "01..06",
    flags: {
      api: { kind: "text", value: "A", about: "kind of streams", default: "web", choices: apis },
      runtime: {
        kind: "list",
        value: "R,…",
        about: "runtime; default: the one that runs this",
        choices: runtimeNames,
      },
      hwm: { kind: "integer", about: "every buffer's highWaterMark, in messages", maximum: 1000 },
      messages: { kind: "integer", about: "number of messages", maximum: 10_000 },
      concurrency: { kind: "integer", about: "writes in flight", minimum: 1, maximum: 1000 },
      batch: { kind: "integer", about: "messages per read", minimum: 1, maximum: 1000 },
      seed: { kind: "integer", about: "of the delays", default: 1, maximum: 2 ** 32 - 1 },
      "time-scale": {
        kind: "text",
        value: "X",
        about: "factor for delays; 0: keep only their order; default: 1",
      },
      format: {
        kind: "text",
        value: "F",
        about: "live needs a terminal; default: log, or live without a number",
        choices: demoFormats,
      },
    },
    examples: [
      "deno task demo 05 --api both --concurrency 3",
      "deno task demo 03 --hwm 4 --messages 30 --format diagram",
    ],
  });
  const isFirst = _.length === 0;
  const wanted = isFirst ? first.number : _[0]!.padStart(2, "0");
  const demo = demos.find(({ number }) => number === wanted);
  if (demo === undefined || _.length > 1) {
    throw new UsageError(`Choose one demo of ${numbers.join(", ")}, got ${_.join(" ")}`);
  }
  const { api } = flags;
  if (flags.hwm === 0 && api !== "node") {
    throw new UsageError(
      "--hwm must be at least 1 on Web Streams, got 0: a writable side with highWaterMark 0 never asks for a chunk",
    );
  }
  return {
    demo: {
      ...demo,
      highWaterMark: flags.hwm ?? demo.highWaterMark,
      messages: flags.messages ?? demo.messages,
      concurrency: flags.concurrency ?? demo.concurrency,
      batchSize: flags.batch ?? demo.batchSize,
    },
    api,
    runtimes: flags.runtime ?? [currentRuntime().name],
    format: flags.format ?? (isFirst ? first.format : "log"),
    seed: flags.seed,
    timeScale: readTimeScale(flags["time-scale"] ?? `${isFirst ? first.timeScale : 1}`),
    isFirst,
  };
}

/** What the command needs: nothing, or other programs for several runtimes. */
export const demoNeeds: NeedsOf = (args) => {
  const { runtimes } = readDemoCommand(args);
  return runtimes.length > 1 ? { needs: "any" } : { needs: {}, runtime: runtimes[0]! };
};

/** Runs a demo here and shows it. */
export async function showDemo(
  { demo, api, format, seed, timeScale, isFirst }: DemoCommand,
  output: DemoOutput,
  signal?: AbortSignal,
): Promise<void> {
  const renderer = createRenderer(
    format === "live" && !output.isTerminal ? "diagram" : format,
    {
      write: output.write,
      columns: output.columns,
      style: createStyle(output.isColoured && format !== "jsonl"),
    },
    api === "both",
    demo,
  );
  const speedup = timeScale === 0 ? 1 : 1 / timeScale;
  const delays = messageDelays(demo.messages, seededRandom(seed), speedup);
  const options = { delays, isVirtual: timeScale === 0, listener: renderer, signal };
  const run = (one: DemoApi) => runDemo(demo, one, options);
  if (api !== "both") await run(api);
  // Without real time one after the other, so that neither disturbs the other's order.
  else if (timeScale === 0) {
    await run("web");
    await run("node");
  } else await Promise.all([run("web"), run("node")]);
  renderer.end();
  if (isFirst && format !== "jsonl") output.write(`\n${tryNext.join("\n")}\n`);
}

/** The command `deno task demo`; answers its exit code. */
export async function demo(args: readonly string[], signal: AbortSignal): Promise<number> {
  const command = readDemoCommand(args);
  const here = currentRuntime().name;
  const { stdout } = process;
  for (const name of command.runtimes) {
    if (command.runtimes.length > 1) console.error(`${name}:`);
    if (name !== here) {
      const runtime = await findRuntime(name);
      if (process.stderr.isTTY) console.error(describeRuntime(runtime));
      const script = fileURLToPath(import.meta.url);
      const code = await runInRuntime(runtime, script, inRuntime(args, name), signal);
      if (code !== 0) return code;
      continue;
    }
    const isTerminal = stdout.isTTY === true;
    // A reader that has seen enough, such as `head`, closes the pipe.
    stdout.on(
      "error",
      (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1),
    );
    await showDemo(command, {
      write: (text) => void stdout.write(text),
      columns: isTerminal ? stdout.columns : Number(process.env.COLUMNS) || undefined,
      isTerminal,
      isColoured: !process.env.NO_COLOR && (isTerminal || isColourForced()),
    }, signal);
  }
  return 0;
}

/** Whether colours are wanted in a pipe, too. */
function isColourForced(): boolean {
  return !["", "0", undefined].includes(process.env.FORCE_COLOR);
}

/** The same command line, for one runtime. */
function inRuntime(args: readonly string[], name: RuntimeName): string[] {
  const rest: string[] = [];
  for (let index = 0; index < args.length; index++) {
    if (args[index] === "--runtime") index++;
    else if (!args[index]!.startsWith("--runtime=")) rest.push(args[index]!);
  }
  return [...rest, `--runtime=${name}`];
}

if (import.meta.main) await runCommand(demo);
