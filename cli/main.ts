import { createRequire } from "node:module";
import process from "node:process";
import { HelpRequest, UsageError } from "../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";

/** What runs a command; returns its exit code. */
type Command = (args: readonly string[], signal: AbortSignal) => Promise<number | void>;

/** What each command does, and what loads it. */
const commands: Readonly<Record<string, readonly [about: string, load: () => Promise<Command>]>> = {
  serve: [
    "serves the files of a folder over HTTP",
    async () => (await import("../scenarios/serve/command.ts")).serve,
  ],
  extract: [
    "exports a table or a query of SQLite, PostgreSQL or MongoDB to a file",
    async () => (await import("../scenarios/extract/command.ts")).extractCommand,
  ],
  load: [
    "puts the rows of a CSV or NDJSON file into a table of SQLite or PostgreSQL",
    async () => (await import("../scenarios/load/command.ts")).loadCommand,
  ],
  consume: [
    "tries a consumer of a queue: each message is stored once, whatever is killed",
    async () => (await import("../scenarios/consume/command.ts")).consume,
  ],
  queue: [
    "shows a queue and its dead letters, and replays or deletes these",
    async () => (await import("../scenarios/consume/queue_command.ts")).queue,
  ],
  demo: [
    "shows backpressure at work, step by step",
    async () => (await import("../scenarios/demo/command.ts")).demo,
  ],
};

const help = `The commands of hosepipe; hosepipe COMMAND --help lists the flags of one.

Usage: hosepipe COMMAND [flags]

${Object.entries(commands).map(([name, [about]]) => `  ${name.padEnd(8)} ${about}`).join("\n")}`;

/** The package that is missing, where that is why a command failed: the user's own client of a database or a broker. */
function missingPackage(error: unknown): string | undefined {
  const { code, message, cause } = (error ?? {}) as Error & { code?: string };
  if (code !== "ERR_MODULE_NOT_FOUND") {
    return cause === undefined ? undefined : missingPackage(cause);
  }
  return /(?:package|module) ['"]((?:@[\w-]+\/)?[\w-]+)['"]/.exec(message)?.[1];
}

// Node 22 would warn of its SQLite.
process.removeAllListeners("warning");
await runCommand(async ([name = "--help", ...args], signal) => {
  if (["--help", "-h", "help"].includes(name)) throw new HelpRequest(help);
  if (name === "--version") {
    return console.log(createRequire(import.meta.url)("../package.json").version);
  }
  if (!Object.hasOwn(commands, name)) {
    throw new UsageError(
      `Unknown command ${name}; the commands are ${Object.keys(commands).join(", ")}`,
    );
  }
  try {
    return await (await commands[name]![1]())(args, signal);
  } catch (error) {
    const missing = missingPackage(error);
    if (missing === undefined) throw error;
    console.error(
      `Cannot find the package ${missing}: install it beside this one (npm install ${missing}), ` +
        `or run npx -p @hosepipe/cli -p ${missing} hosepipe ${name} …`,
    );
    return 1;
  }
});
// A connection that is about to close must not keep the process; what was said is given time to leave.
process.stdout.write("", () => process.exit());
