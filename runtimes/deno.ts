import { identity, type RuntimeDescriptor } from "./descriptor.ts";

/** Deno: the one runtime that runs documentation examples. */
export const deno: RuntimeDescriptor<"deno"> = {
  name: "deno",
  title: "Deno",
  variable: "HOSEPIPE_DENO",
  minimum: [2, 9],
  npmPackage: "deno@2.9.6",
  identify: ["eval", identity],
  // Quiet: on its first run Deno would report what it fetches about packages.
  runArguments: (v8Flags = []) => [
    "run",
    ...(v8Flags.length > 0 ? [`--v8-flags=${v8Flags.join(",")}`] : []),
    ...["--quiet", "--allow-all", "--no-check"],
  ],
  plainArguments: ["run", "--allow-all"],
  testArguments: ({ files, report, pattern, doc, bail }) => [
    ...["test", "--allow-all", doc ? "--doc" : "--no-check", `--junit-path=${report}`],
    ...(pattern === undefined ? [] : ["--filter", `/${pattern}/`]),
    ...(bail ? ["--fail-fast"] : []),
    ...files,
  ],
};
