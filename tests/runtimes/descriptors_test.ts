import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { currentRuntime, runtimeNames } from "../../runtimes/current_runtime.ts";
import { descriptors } from "../../runtimes/descriptors.ts";

test("each runtime's descriptor has its name, and packages are pinned", () => {
  assertEquals(runtimeNames, ["deno", "bun", "node"]);
  for (const name of runtimeNames) {
    const { name: own, variable, npmPackage, minimum } = descriptors[name];
    assertEquals([own, variable], [name, `HOSEPIPE_${name.toUpperCase()}`]);
    const version = npmPackage.slice(name.length + 1).split(".").map(Number);
    assertEquals([npmPackage.startsWith(`${name}@`), version.length], [true, 3]);
    assertEquals(version[0]! > minimum[0] || version[1]! >= minimum[1], true);
  }
});

test("flags of V8 are given as each runtime takes them", () => {
  const flags = ["--expose-gc", "--single-threaded-gc"];
  assertEquals(descriptors.deno.runArguments(flags).slice(0, 2), [
    "run",
    "--v8-flags=--expose-gc,--single-threaded-gc",
  ]);
  assertEquals(descriptors.bun.runArguments(flags), ["run"]);
  assertEquals(descriptors.node.runArguments(flags).slice(0, 2), flags);
});

test("the current runtime is one of them", () => {
  assertEquals(runtimeNames.includes(currentRuntime().name), true);
});
