import { identity, type RuntimeDescriptor } from "./descriptor.ts";

/** Reads the import map, which Node does not. */
const hook = ["--import", new URL("../node_compat/register.mjs", import.meta.url).href];

/** Node: it cannot stop at the first failed test. */
export const node: RuntimeDescriptor<"node"> = {
  name: "node",
  title: "Node",
  variable: "HOSEPIPE_NODE",
  minimum: [24, 0],
  npmPackage: "node@26.10.0",
  identify: ["--eval", identity],
  runArguments: (v8Flags = []) => [...v8Flags, ...hook],
  plainArguments: [],
  testArguments: ({ files, report, pattern }) => [
    ...hook,
    // As the other two runners do: a native chain that a test no longer waits for may wait forever.
    "--test-force-exit",
    ...["--test-reporter=junit", `--test-reporter-destination=${report}`],
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    ...(pattern === undefined ? [] : [`--test-name-pattern=${pattern}`]),
    ...files,
  ],
};
