import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { identity, type RuntimeDescriptor } from "./descriptor.ts";

/** Bun: it has no V8, and so none of its flags, and it has no permissions. */
export const bun: RuntimeDescriptor<"bun"> = {
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
