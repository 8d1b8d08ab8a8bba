import { parseArgs } from "node:util";
import { type RuntimeName, runtimeNames } from "../../bench/lib/current_runtime.ts";

/** What `deno task test` was asked for. */
export interface TestOptions {
  readonly help: boolean;
  readonly runtimes: readonly RuntimeName[];
  readonly filter?: string;
  /** Files to run in place of all; empty means all. */
  readonly paths: readonly string[];
}

const flags = { runtime: "string", filter: "string", help: "boolean" } as const;

/**
 * Reads the command line of the test runner.
 *
 * @throws {Error} With one line that names the valid choices.
 */
export function parseTestOptions(args: readonly string[]): TestOptions {
  const known = Object.keys(flags).map((name) => `--${name}`).join(", ");
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: {
      runtime: { type: "string" },
      filter: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  const values: { runtime?: string; filter?: string } = {};
  const paths: string[] = [];
  let help = false;
  for (const token of tokens) {
    if (token.kind === "positional") paths.push(token.value.replaceAll("\\", "/"));
    if (token.kind !== "option") continue;
    if (!(token.name in flags)) {
      throw new Error(`Unknown flag ${token.rawName}: known are ${known}`);
    }
    if (token.name === "help") {
      help = true;
      continue;
    }
    if (!token.value) throw new Error(`${token.rawName} needs a value`);
    values[token.name as "runtime" | "filter"] = token.value;
  }
  const names = values.runtime?.split(",") ?? runtimeNames;
  for (const name of names) {
    if (!(runtimeNames as readonly string[]).includes(name)) {
      throw new Error(
        `Unknown runtime ${JSON.stringify(name)}: known are ${runtimeNames.join(", ")}`,
      );
    }
  }
  const runtimes = runtimeNames.filter((name) => names.includes(name));
  for (const path of paths) {
    if (!path.endsWith(".ts") && !path.endsWith(".md")) {
      throw new Error(
        `Unknown argument ${
          JSON.stringify(path)
        }: give paths of *_test.ts files (their tests) or of other .ts and .md files (their examples)`,
      );
    }
  }
  return {
    help,
    runtimes,
    filter: values.filter,
    paths: paths.map((path) => path.replace(/^\.\//, "")),
  };
}
