import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { pipeline } from "@hosepipe/streams";

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
