import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { pipeline, take } from "@hosepipe/streams";
import { microtasks } from "../lib/microtasks.ts";

test("a pair of what are no web streams is refused by its place, and nothing is touched", async () => {
  const { readable, writable } = new TransformStream();
  const halves = [
    ...[{ readable, writable: undefined }, { readable: null, writable }, {
      readable: {},
      writable,
    }],
    ...[{ readable, writable: { getReader() {} } }, { readable: writable, writable: readable }],
  ];
  for (const pair of halves) {
    let read = 0;
    const source = (function* () {
      yield read++;
    })();
    const run = () => pipeline(source, {}, pair as never, () => {});
    const problem = "stage 2 is a pair whose readable and writable are not web streams";
    await assertRejects(run, TypeError, `Cannot run pipeline: ${problem}`);
    assertEquals([read, readable.locked, writable.locked], [0, false, false]);
  }
});

test("a pair that ends in the moment in which its source does has not failed", async () => {
  // The source closes so many microtasks after its last chunk; each write takes so many.
  for (let closesAfter = 0; closesAfter < 6; closesAfter++) {
    for (let writesFor = 0; writesFor < 6; writesFor++) {
      let given = 0;
      const source = new ReadableStream<number>({
        async pull(controller) {
          controller.enqueue(given++);
          if (given < 3) return;
          if (closesAfter > 0) await microtasks(closesAfter);
          controller.close();
        },
      });
      const written: number[] = [];
      const sink = new WritableStream<number>({
        async write(chunk) {
          await microtasks(writesFor);
          written.push(chunk);
        },
      });
      const pair = new TransformStream<number, number>(take(3));
      const { chunksRead } = await pipeline(source, pair, sink);
      assertEquals([closesAfter, writesFor, chunksRead, written], [
        ...[closesAfter, writesFor, 3, [0, 1, 2]],
      ]);
    }
  }
});
