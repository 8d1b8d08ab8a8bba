import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { fuse, map, pipeline } from "../../mod.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { startScript } from "../lib/start_script.ts";
import { failingChain, faults, pipeIntoFailed, stateOf, unhandledOf } from "./faults.ts";

const { name: runtime, version } = currentRuntime();
const here = `${runtime} ${version}`;
const known = ["deno 2.9.6", "bun 1.4.5", "node 26.10.0"];

for (const { name, in: versions, isHere } of faults) {
  test(`${here}: ${name}: whether it still does is as docs/faults.md says`, async (context) => {
    const isThere = await isHere();
    context.diagnostic?.(`${here}: ${isThere ? "yes" : "no"}`);
    // Of a version that was not looked at yet nothing is known.
    if (known.includes(here)) assertEquals(isThere, versions.includes(here));
  });
}

test("pipeline runs an identity stream before anything reads it, in every runtime", async () => {
  const written: number[] = [];
  const stages = [new TransformStream<number, number>(), new TransformStream<number, number>()];
  await pipeline([1, 2], ...stages as [TransformStream<number, number>], (chunk) => {
    written.push(chunk);
  });
  assertEquals(written, [1, 2]);
});

test("fuse of an identity takes a write before anything reads it, in every runtime", async () => {
  const { readable, writable } = fuse(map((n: number) => n));
  void readable.pipeThrough(fuse({}));
  assertEquals(await stateOf(writable.getWriter().write(1)), "fulfilled");
});

test("fuse and pipeline leave no rejection without a handler where a stage fails", async () => {
  const fused = await unhandledOf((reason) => {
    const [first, second, third] = failingChain.stages(reason);
    return failingChain.source().pipeThrough(fuse(first!, second!, third!))
      .pipeTo(new WritableStream());
  });
  const run = await unhandledOf((reason) => {
    const [first, second, third] = failingChain.stages(reason);
    return pipeline(failingChain.source(), first!, second!, third!, new WritableStream());
  });
  assertEquals([fused, run], [[], []]);
});

test("pipeline rejects with the failure of a sink whose source stays open", async () => {
  const { code, stderr } = await startScript(pipeIntoFailed, ["library"]).ended;
  assertEquals(code, 0, stderr);
  assert(stderr === "" || !/Error/.test(stderr), stderr);
});
