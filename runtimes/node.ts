import { join } from "node:path";
import { identity, type Needs, project, type RuntimeDescriptor } from "./descriptor.ts";

/** In a package, where all is JavaScript already. */
const isPacked = !import.meta.url.endsWith(".ts");
/** Reads the import map, which Node does not. */
const hook = isPacked
  ? []
  : ["--import", new URL("../node_compat/register.mjs", import.meta.url).href];
const untracked = ["--import", new URL("untracked_tests.mjs", import.meta.url).href];

/** Node knows no hosts and no programs: the network and other processes are allowed as a whole, or not. */
function permissions(needs: Needs | undefined): string[] {
  if (needs === undefined) return [];
  const { read = [], write = [], net = [], run = [] } = needs;
  // A folder that is yet to be made would be taken for a file.
  const writable = write.flatMap((path) => [path, join(path, "*")]);
  return [
    "--permission",
    ...[project, ...read, ...writable].map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    ...(net.length > 0 ? ["--allow-net"] : []),
    ...(run.length > 0 ? ["--allow-child-process"] : []),
    // It would warn of what it allows.
    "--no-warnings",
  ];
}

/** Node: it cannot stop at the first failed test. */
export const node: RuntimeDescriptor<"node"> = {
  name: "node",
  title: "Node",
  variable: "HOSEPIPE_NODE",
  // Older ones read no TypeScript.
  minimum: isPacked ? [22, 13] : [24, 0],
  npmPackage: "node@26.10.0",
  identify: ["--eval", identity],
  runArguments: (v8Flags = [], needs) => [...v8Flags, ...permissions(needs), ...hook],
  plainArguments: [],
  testArguments: ({ files, report, pattern, preload }) => [
    ...untracked,
    ...hook,
    ...(preload === undefined ? [] : ["--import", preload.href]),
    // As the other two runners do: a native chain that a test no longer waits for may wait forever.
    "--test-force-exit",
    ...["--test-reporter=junit", `--test-reporter-destination=${report}`],
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    ...(pattern === undefined ? [] : [`--test-name-pattern=${pattern}`]),
    ...files,
  ],
};
