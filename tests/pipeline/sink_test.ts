import { test } from "node:test";
import { assertEquals, assertInstanceOf } from "@std/assert";
import { pipeline } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { microtasks } from "../lib/microtasks.ts";
import { turns } from "../lib/turns.ts";

for (const highWaterMark of [1, 2, 4]) {
  test(`a sink is handed as many chunks at once as it has room for, and one more for each that is written: ${highWaterMark}`, async () => {
    let read = 0;
    const gates: PromiseWithResolvers<void>[] = [];
    const sink = new WritableStream<number>({
      write() {
        gates.push(Promise.withResolvers());
        return gates.at(-1)!.promise;
      },
    }, { highWaterMark });
    const source = (function* () {
      while (read < 7) yield read++;
    })();
    const running = pipeline(source, sink);
    assertEquals(read, highWaterMark);
    for (let written = 0; written < 7; written++) {
      while (gates.length <= written) await turns(1);
      await turns(1);
      assertEquals(read, Math.min(7, highWaterMark + written));
      gates[written]!.resolve();
    }
    assertEquals((await running).chunksWritten, 7);
  });
}

test("a sink that is about to fail as the source fails is what the run fails with, as by pipeTo", async () => {
  const sourceFailed = new Error("the source failed");
  const sinkFailed = new Error("the sink failed");
  for (const startTakes of [0, 1, 3]) {
    for (const isSourceLate of [false, true]) {
      for (const waits of [0, 1, 2, 3]) {
        const outcomes = [];
        for (const run of ["pipeline", "pipeTo"]) {
          const sink = new WritableStream({
            start(controller) {
              controller.error(sinkFailed);
              return microtasks(startTakes);
            },
          });
          const source = new ReadableStream({
            start(controller) {
              const fail = () => controller.error(sourceFailed);
              if (isSourceLate) void microtasks(0).then(fail);
              else fail();
            },
          });
          await microtasks(waits);
          const running = run === "pipeline" ? pipeline(source, sink) : source.pipeTo(sink);
          outcomes.push(await errorOf(running));
        }
        const [ours, native] = outcomes;
        assertEquals(ours, native, `${startTakes}, ${isSourceLate}, ${waits}`);
        if (waits < 2) assertEquals(ours, [sinkFailed]);
      }
    }
  }
});

test("how a sink's abort fails matters less than why it was aborted", async () => {
  const failure = new Error("the source failed");
  const sink = new WritableStream({
    abort() {
      throw new Error("nor does its abort work");
    },
  });
  const source = new ReadableStream({ start: (controller) => controller.error(failure) });
  assertEquals(await errorOf(pipeline(source, sink)), [failure]);
  assertEquals(sink.locked, false);
});

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
