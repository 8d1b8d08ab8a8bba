import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { parseTestOptions } from "../../scripts/lib/test_options.ts";

test("parseTestOptions runs everything in all runtimes by default", () => {
  assertEquals(parseTestOptions([]), {
    help: false,
    runtimes: ["deno", "bun", "node"],
    filter: undefined,
    paths: [],
  });
});

test("parseTestOptions takes runtimes, a filter and paths", () => {
  const options = parseTestOptions(["./tests/a_test.ts", "--runtime=node,deno", "--filter", "x y"]);
  assertEquals(options, {
    help: false,
    runtimes: ["deno", "node"],
    filter: "x y",
    paths: ["tests/a_test.ts"],
  });
});

test("parseTestOptions names the valid choices in one line", () => {
  const cases: [string[], string][] = [
    [["--runtim", "deno"], "Unknown flag --runtim: known are --runtime, --filter, --help"],
    [["-x"], "Unknown flag -x: known are --runtime, --filter, --help"],
    [["--runtime", "nodejs"], 'Unknown runtime "nodejs": known are deno, bun, node'],
    [["--runtime"], "--runtime needs a value"],
    [["--filter="], "--filter needs a value"],
    [["fuse"], 'Unknown argument "fuse": '],
  ];
  for (const [args, message] of cases) {
    const error = assertThrows(() => parseTestOptions(args), Error, message);
    assertEquals(error.message.includes("\n"), false);
  }
});
