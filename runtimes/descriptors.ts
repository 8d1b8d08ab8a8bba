import { dirname, isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { identity, type Needs, project, type RuntimeDescriptor } from "./descriptor.ts";
import { node } from "./node.ts";

/**
 * The command line that runs a TypeScript file in a runtime.
 *
 * @param flags Flags of the runtime's own.
 */
export function commandOf(
  runtime: { readonly executable: string; readonly arguments: readonly string[] },
  script: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): [command: string, ...args: string[]] {
  return [runtime.executable, ...flags, ...runtime.arguments, script, ...args];
}

/** One flag for a list. */
function allow(kind: string, items: readonly string[] | undefined): string[] {
  return items === undefined || items.length === 0 ? [] : [`--allow-${kind}=${items.join(",")}`];
}

/** Lists are separated by commas: of a path with one, the folder above that is named, which is more. */
function nameable(path: string): string {
  let named = path;
  while (named.includes(",") && dirname(named) !== named) named = dirname(named);
  return named;
}

function permissions(needs: Needs | undefined): string[] {
  if (needs === undefined) return ["--allow-all"];
  const { read = [], write = [], net, run } = needs;
  return [
    ...["--no-prompt", "--allow-env", "--allow-sys"],
    ...allow("read", [project, ...read, ...write].map(nameable)),
    ...allow("write", write.map(nameable)),
    ...(net === "any" ? ["--allow-net"] : allow("net", net)),
    ...allow("run", run),
  ];
}

/** What is installed is used as it is: Deno would resolve the whole lock file again at every start. */
const asInstalled = "--node-modules-dir=manual";

/** Deno: the one runtime that runs documentation examples. */
const deno: RuntimeDescriptor<"deno"> = {
  name: "deno",
  title: "Deno",
  variable: "HOSEPIPE_DENO",
  minimum: [2, 9],
  npmPackage: "deno@2.9.6",
  identify: ["eval", identity],
  // Quiet: on its first run Deno would report what it fetches about packages.
  runArguments: (v8Flags = [], needs) => [
    "run",
    ...(v8Flags.length > 0 ? [`--v8-flags=${v8Flags.join(",")}`] : []),
    ...["--quiet", ...permissions(needs), "--no-check", asInstalled],
  ],
  plainArguments: ["run", "--allow-all"],
  testArguments: ({ files, report, pattern, bail, preload }) => [
    ...["test", "--allow-all", "--no-check", asInstalled, `--junit-path=${report}`],
    ...(pattern === undefined ? [] : ["--filter", `/${pattern}/`]),
    ...(bail ? ["--fail-fast"] : []),
    ...(preload === undefined ? [] : ["--preload", preload.href]),
    ...files,
  ],
};

/** Bun: it has no V8, and so none of its flags, and it has no permissions. */
const bun: RuntimeDescriptor<"bun"> = {
  name: "bun",
  title: "Bun",
  variable: "HOSEPIPE_BUN",
  minimum: [1, 4],
  npmPackage: "bun@1.4.5",
  identify: ["--eval", identity],
  runArguments: () => ["run"],
  plainArguments: ["run"],
  testArguments: ({ files, report, pattern, bail, timeoutMs, preload }) => [
    ...["test", `--timeout=${timeoutMs}`, "--reporter=junit", `--reporter-outfile=${report}`],
    ...(pattern === undefined ? [] : ["--test-name-pattern", pattern]),
    ...(bail ? ["--bail"] : []),
    ...(preload === undefined ? [] : ["--preload", fileURLToPath(preload)]),
    // A name without a path would be a pattern.
    ...files.map((file) => isAbsolute(file) ? file : `./${file}`),
  ],
};

/** The runtimes hosepipe is built for, in the order its tables show them: a new one is one file and its place here. */
export const descriptors = { deno, bun, node } as const;
