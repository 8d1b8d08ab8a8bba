import { test } from "node:test";
import { assertEquals, assertInstanceOf } from "@std/assert";
import { pipeline } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

test("a sink that others have closed fails the run, with what its source's cancel throws if it does, as by pipeTo", async () => {
  const failure = new Error("cannot be cancelled");
  for (const fails of [false, true]) {
    for (
      const run of [pipeline, (source: ReadableStream, sink: WritableStream) => source.pipeTo(sink)]
    ) {
      const reasons: unknown[] = [];
      const source = new ReadableStream({
        cancel(reason) {
          reasons.push(reason);
          if (fails) throw failure;
        },
      });
      const sink = new WritableStream();
      await sink.close();
      const [error] = await errorOf(run(source, sink)) as [Error];
      if (fails) assertEquals(error, failure);
      else assertEquals(error, reasons[0]);
      assertInstanceOf(reasons[0], TypeError);
      if (run === pipeline) {
        assertEquals((reasons[0] as Error).message, "Cannot write: the sink is already closed");
      }
    }
  }
});

test("what is no sink is named, with advice for a Node stream alone", async () => {
  const need = "sink must be a WritableStream or a function, and come after the stages, got";
  const nodeStream = { pipe() {}, on() {}, write() {}, end() {} };
  for (
    const [sink, got] of [
      [5, "5"],
      [null, "null"],
      [[], "an array"],
      [
        nodeStream,
        'a Node stream; use fromNode(writable, { as: "writable" }) from @hosepipe/streams/node',
      ],
    ] as const
  ) {
    const [error] = await errorOf(pipeline([1], sink as never)) as [Error];
    assertInstanceOf(error, TypeError);
    assertEquals(error.message, `Cannot run pipeline: ${need} ${got}`);
  }
});

test("a sink that fails by itself while a write goes on says why, though a stage fails and the write does, too", async () => {
  let controller!: WritableStreamDefaultController;
  const gate = Promise.withResolvers<void>();
  const sink = new WritableStream({
    start: (given) => void (controller = given),
    write: () => gate.promise,
  }, { highWaterMark: 2 });
  let source!: ReadableStreamDefaultController<number>;
  const chunks = new ReadableStream<number>({ start: (given) => void (source = given) });
  const stage: Transformer<number, number> = {
    transform(chunk, own) {
      if (chunk === 1) own.enqueue(chunk);
      else own.error("stage");
    },
  };
  const run = errorOf(pipeline(chunks, stage, sink));
  source.enqueue(1);
  await turns(1);
  controller.error("sink");
  source.enqueue(2);
  await turns(1);
  gate.reject("write");
  assertEquals(await run, ["sink"]);
});
