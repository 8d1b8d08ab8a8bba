import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { PushOutput } from "../../src/pipeline/push_output.ts";
import { openSink } from "../../src/pipeline/sink.ts";
import { turns } from "../lib/turns.ts";

const turn = { sliceSize: 1, isOver: () => false, next: () => {} };

/** An output into a function that takes each chunk when it is let. */
function outputOf() {
  const taken: unknown[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const events: unknown[] = [];
  const sink = openSink((chunk: unknown) => {
    taken.push(chunk);
    gates.push(Promise.withResolvers());
    return gates.at(-1)!.promise;
  });
  const output = new PushOutput(sink, turn, {
    resume: () => events.push("resume"),
    finish: (ending) => events.push(ending),
    fail: (reason) => events.push([reason]),
  });
  return { output, taken, gates, events };
}

test("what comes while a write is waited for is kept in order, and the end comes behind it", async () => {
  const { output, taken, gates, events } = outputOf();
  assertEquals([output.hasRoom(), output.desiredSize()], [true, 0]);
  output.write(["a", "b", "c", "not of this slice"], 3);
  output.end({ failed: false });
  assertEquals([taken, output.hasRoom(), output.desiredSize()], [["a"], false, -2]);
  for (const count of [2, 3]) {
    gates.at(-1)!.resolve();
    await turns(1);
    assertEquals([taken.length, output.desiredSize(), events.length], [
      count,
      count - 3,
      count - 1,
    ]);
  }
  gates.at(-1)!.resolve();
  await turns(1);
  assertEquals(taken, ["a", "b", "c"]);
  assertEquals([output.chunksWritten, events], [3, [
    ...["resume", "resume", { failed: false }, "resume"],
  ]]);
});

test("an output that is closed keeps nothing, and takes nothing more", async () => {
  const { output, taken, gates, events } = outputOf();
  output.write(["a", "b"], 2);
  assertEquals(output.desiredSize(), -1);
  output.close();
  output.writeOne("c");
  assertEquals([output.desiredSize(), output.hasRoom(), output.isEnded], [0, false, true]);
  gates[0]!.resolve();
  await turns(1);
  output.writeOne("d");
  output.end({ failed: false });
  assertEquals([taken, output.desiredSize(), output.chunksWritten], [["a"], 0, 1]);
  assertEquals(events, ["resume"]);
});
