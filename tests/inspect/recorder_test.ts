import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { probe } from "@hosepipe/streams/inspect";
import { turns } from "../lib/turns.ts";

test("stages stand in the pipeline's order, whatever the order in which they are wrapped", () => {
  const look = probe();
  look.writer(() => {});
  look.transformer({});
  look.transformer({}, { name: "mine" });
  look.transformer({});
  look.reader([1]);
  assertEquals(
    look.bottleneck().stages.map(({ stage }) => stage),
    ["reader", "transformer", "mine", "transformer 3", "writer"],
  );
  assertEquals(
    look.buffers().map(({ stage, kind }) => `${stage} ${kind}`),
    [
      "reader readerOut",
      ...["transformer", "mine", "transformer 3"].flatMap((name) => [
        `${name} transformerIn`,
        `${name} transformerOut`,
      ]),
      "writer writerIn",
    ],
  );
});

test("iterating a probe gives each event when it happens, and not at the end", async () => {
  const look = probe();
  let push!: (chunk: number) => void;
  let close!: () => void;
  new ReadableStream(
    look.reader<number>({
      start(controller) {
        push = (chunk) => controller.enqueue(chunk);
        close = () => controller.close();
      },
    }),
    { highWaterMark: 4 },
  );
  const events = look[Symbol.asyncIterator]();
  const seen: string[] = [];
  const following = (async () => {
    while (true) {
      const { done, value } = await events.next();
      if (done) return;
      seen.push(value.event);
    }
  })();
  for (const count of [1, 2]) {
    await turns();
    push(count);
    await turns();
    assertEquals(seen, new Array(count).fill("read"));
  }
  close();
  await following;
  assertEquals(seen, ["read", "read", "end"]);
});

test("what a listener throws is no error of the pipeline, and the next event reaches it", async () => {
  const reasons: unknown[] = [];
  const { queueMicrotask: real } = globalThis;
  // What a listener throws is thrown again where it does no harm: there it is caught here.
  globalThis.queueMicrotask = (task) =>
    real(() => {
      try {
        task();
      } catch (reason) {
        reasons.push(reason);
      }
    });
  try {
    let count = 0;
    const look = probe({
      onEvent() {
        throw ++count;
      },
    });
    const chunks = await Array.fromAsync(
      new ReadableStream(look.reader<number>({
        start(controller) {
          controller.enqueue(7);
          controller.close();
        },
      })),
    );
    await turns();
    assertEquals([chunks, reasons], [[7], [1, 2, 3].slice(0, count)]);
  } finally {
    globalThis.queueMicrotask = real;
  }
});
