import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { turns } from "../lib/turns.ts";
import { firsts, seconds } from "./who_wins/events.ts";
import { Scene } from "./who_wins/scene.ts";
import { ways } from "./who_wins/ways.ts";

// The table "Who wins" of docs/endings.md, row by row.

const text = await readFile(new URL("../../docs/endings.md", import.meta.url), "utf8");
const rows = text.split("### Who wins")[1]!.split("\n## ")[0]!.split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
  .slice(2);

const unhandledOf = async (run: () => Promise<void>, isOurs: boolean): Promise<void> => {
  const unhandled = collectUnhandled();
  try {
    await run();
    await turns(2);
    // Native pipes may leave some behind.
    if (isOurs) assertEquals(unhandled.take(), []);
  } finally {
    unhandled.close();
  }
};

test("each way to fail first and afterwards is in the table of who wins", () => {
  assertEquals(new Set(rows.map(([first]) => first)), new Set(Object.keys(firsts)));
  assertEquals(new Set(rows.map(([, second]) => second)), new Set(Object.keys(seconds)));
});

for (const [first, second, inPipeline, inFuse] of rows as [string, string, string, string][]) {
  const { prepare, afterwards = () => {} } = seconds[second]!;

  test(`first ${first}, then ${second}: the table says who wins`, async () => {
    let count = 0;
    // A signal that aborts with `undefined` makes a reason of its own.
    const noErrors = first === "the signal aborts" ? [null, undefined] : [undefined, null];
    for (const way of ways) {
      if (way.lacks?.(first, second)) continue;
      count++;
      for (const [one, other] of [[new Error("first"), new Error("second")], noErrors]) {
        const scene = new Scene({ first: one, second: other });
        prepare(scene);
        await unhandledOf(async () => {
          const standing = await scene.stand(way.connect, firsts[first]!, afterwards);
          const winner = way.column === "pipeline" ? inPipeline : inFuse;
          if (winner === "nothing") {
            assertEquals(standing.state, "fulfilled", way.name);
            return;
          }
          if (winner === "depends on the runtime") {
            assert(
              standing.state === "rejected" && [one, other].includes(standing.reason as Error),
            );
            return;
          }
          assert(winner === "the first" || winner === "the second", winner);
          const reason = winner === "the first" ? one : other;
          assertEquals(standing, { state: "rejected", reason }, way.name);
          if (way.column === "fuse" || winner === "the second") return;
          // What it fails with is what both ends hear.
          const { heard } = scene;
          for (const each of [...heard.source, ...heard.sink]) assertEquals(each, one, way.name);
        }, way.column === "pipeline");
      }
    }
    assert(count > 2);
  });
}
