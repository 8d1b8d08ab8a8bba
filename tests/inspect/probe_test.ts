import { assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { flatMap, pipeline, reader, writer } from "@hosepipe/streams";
import { probe, type ProbeEvent, type ProbeOutput } from "@hosepipe/streams/inspect";
import { assertConserved } from "./_conservation.ts";
import { turns } from "../lib/turns.ts";

const settle = () => turns(20);

function numbers(count: number): UnderlyingDefaultSource<number> {
  let given = 0;
  return {
    pull(controller) {
      if (given < count) controller.enqueue(++given);
      else controller.close();
    },
  };
}

function names(events: readonly ProbeEvent[], stage: string): string[] {
  return events.filter((event) => event.stage === stage).map(({ event }) => event);
}

test("native: all four buffers are seen at standstill, and every event conserves chunks", async () => {
  for (const highWaterMark of [1, 2, 5]) {
    const look = probe();
    const strategy = { highWaterMark };
    const stall = Promise.withResolvers<void>();
    const piped = new ReadableStream(look.reader(numbers(50), { strategy }), strategy)
      .pipeThrough(
        new TransformStream(
          look.transformer<number, number>({}, { writableStrategy: strategy }),
          strategy,
          strategy,
        ),
      )
      .pipeTo(
        new WritableStream(
          look.writer({ write: () => stall.promise }, { strategy }),
          strategy,
        ),
      );
    await settle();
    // The chunk that is being written keeps its place in the sink's queue.
    assertEquals(look.occupancy(), {
      readerOut: highWaterMark,
      transformerIn: highWaterMark,
      transforming: 0,
      transformerOut: highWaterMark,
      writerIn: highWaterMark - 1,
      writing: 1,
      written: 0,
    });
    stall.resolve();
    await piped;
    assertEquals(look.occupancy().written, 50);
    assertEquals(assertConserved(look.events()), 50);
  }
});

test("a source without any room is asked to pause when its chunk has gone on, and none waits", async () => {
  const look = probe();
  const strategy = { highWaterMark: 0 };
  const source = look.reader<number>({
    pull: (controller) => controller.enqueue(1),
  }, { strategy });
  const reader = new ReadableStream(source, strategy).getReader();
  await reader.read();
  assertEquals(look.events().map(({ event, occupancy }) => [event, occupancy.readerOut]), [
    ["read", 1],
    ["backpressure", 0],
  ]);
  await reader.cancel();
});

test("a queue that was full when it was closed is empty once the next stage has begun its chunk", async () => {
  const look = probe();
  const stage = look.transformer<number, number>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      controller.terminate();
    },
  });
  const strategy = { highWaterMark: 1 };
  const { readable, writable } = new TransformStream(stage, strategy, strategy);
  const sink = look.writer<number>({ write() {} }) as Required<UnderlyingSink<number>>;
  const out = () => [look.occupancy().transformerOut, look.buffers()[1]!.count];
  const writer = writable.getWriter();
  await writer.write(1).catch(() => {});
  assertEquals(out(), [1, 1]);
  const reader = readable.getReader();
  const { value } = await reader.read();
  await sink.write(value!, undefined as never);
  assertEquals(out(), [0, 0]);
  assertEquals((await reader.read()).done, true);
  await writer.closed.catch(() => {});
  assertEquals(out(), [0, 0]);
});

test("a byte source: bytes and chunks, byobRequest included", async () => {
  const look = probe();
  let pulls = 0;
  const readable = new ReadableStream(
    look.reader({
      type: "bytes",
      autoAllocateChunkSize: 8,
      pull(controller) {
        pulls++;
        const request = controller.byobRequest;
        if (request === null) controller.enqueue(new Uint8Array(4));
        else {
          new Uint8Array(request.view!.buffer).fill(pulls);
          request.respond(3);
        }
      },
    }),
    { highWaterMark: 8 },
  );
  await settle();
  assertEquals(look.buffers()[0], {
    ...{ stage: "reader", kind: "readerOut", count: 2, size: 8, highWaterMark: 8 },
    desiredSize: 0,
  });
  const defaultReader = readable.getReader();
  for (let read = 0; read < 5; read++) await defaultReader.read();
  assertEquals(names(look.events(), "reader").filter((name) => name === "read").length, pulls);
  await defaultReader.cancel();
});

test("pipeline: sync and async iterables, streams, any stage, a function", async () => {
  const sources = () => [
    [1, 2, 3],
    async function* () {
      yield* [1, 2, 3];
    }(),
    ReadableStream.from([1, 2, 3]),
    [Promise.resolve(1), 2, 3] as number[],
  ];
  for (let index = 0; index < sources().length; index++) {
    const look = probe();
    const written: number[] = [];
    const result = await pipeline(
      look.reader(sources()[index]! as Iterable<number>),
      look.transformer(flatMap((n: number) => [n, n])),
      look.writer(async (n: number) => {
        await Promise.resolve();
        written.push(n);
      }),
    );
    assertEquals(written, [1, 1, 2, 2, 3, 3]);
    assertEquals([result.chunksRead, result.chunksWritten], [3, 6]);
    const { written: count, ...rest } = look.occupancy();
    assertEquals([count, ...Object.values(rest)], [6, 0, 0, 0, 0, 0, 0]);
    assertEquals(names(look.events(), "reader").at(-1), "end");
  }
});

test("reader and writer: a batch function, writes in flight, close", async () => {
  const look = probe({ identify: String });
  const batches = [[1, 2, 3], [4], null];
  let most = 0;
  const sink = look.writer<number>({
    async write() {
      most = Math.max(most, look.occupancy().writing);
      await settle();
    },
  });
  await reader(look.reader(() => batches.shift())).pipeTo(
    writer(sink.write, { concurrency: 3, close: sink.close }),
  );
  assertEquals(most, 3);
  assertEquals(
    look.events().filter(({ event }) => event === "read").map(({ id }) => id),
    ["1", "2", "3", "4"],
  );
  assertEquals(look.events().at(-1)!.event, "final");
});

test("errors of source, stage and sink are events, and travel on, undefined included", async () => {
  for (const reason of [new Error("boom"), undefined]) {
    for (const failing of ["reader", "transformer", "writer"]) {
      for (const isLater of [false, true]) {
        const look = probe();
        const fail = (stage: string): void | Promise<void> => {
          if (stage !== failing) return;
          if (isLater) return Promise.reject(reason);
          throw reason;
        };
        const { pull } = numbers(3);
        const run = new ReadableStream(look.reader<number>({
          pull: (controller) => fail("reader") ?? pull!(controller),
        })).pipeThrough(
          new TransformStream(look.transformer<number, number>({
            transform: (n, controller) => fail("transformer") ?? controller.enqueue(n),
          })),
        ).pipeTo(new WritableStream(look.writer({ write: () => fail("writer") })));
        const outcome = await run.then(
          (): { reason: unknown } => ({ reason: "no error" }),
          (reason: unknown) => ({ reason }),
        );
        assertStrictEquals(outcome.reason, reason);
        const errors = look.events().filter(({ event }) => event === "error");
        assertEquals(errors.map(({ stage }) => stage), [failing]);
        assertEquals(errors[0]!.reason, String(reason));
        assertEquals(look.events().some(({ event }) => event === "written"), false);
      }
    }
  }
});

test("controller.error() and terminate() are events", async () => {
  const look = probe();
  const terminated = new ReadableStream(look.reader(numbers(9))).pipeThrough(
    new TransformStream(look.transformer<number, number>({
      transform: (_, controller) => controller.terminate(),
    })),
  );
  assertEquals(await Array.fromAsync(terminated), []);
  assertEquals(names(look.events(), "transformer"), ["transform", "final"]);

  const other = probe();
  const failed = new ReadableStream(other.reader({ start: (c) => c.error("why") }));
  await assertRejects(() => failed.getReader().read().catch((e) => Promise.reject(Error(e))));
  assertEquals(other.events().map(({ event, reason }) => [event, reason]), [["error", "why"]]);
});

/** Where the chunks are, and how many wait in each buffer. */
function places(look: ProbeOutput): [occupancy: number[], buffers: (number | undefined)[]] {
  return [Object.values(look.occupancy()), look.buffers().map(({ count }) => count)];
}

test("what was in a queue that is cancelled is nowhere, be it full or closed", async () => {
  for (const highWaterMark of [1, 5]) {
    for (const count of [highWaterMark, 9]) {
      const look = probe();
      const strategy = { highWaterMark };
      const source = numbers(count);
      const readable = new ReadableStream(
        look.reader<number>({
          async pull(controller) {
            await source.pull!(controller);
            if (count === highWaterMark && controller.desiredSize === 0) controller.close();
          },
        }, { strategy }),
        strategy,
      );
      await settle();
      assertEquals(places(look), [[highWaterMark, 0, 0, 0, 0, 0, 0], [highWaterMark]]);
      await readable.cancel();
      assertEquals(places(look), [[0, 0, 0, 0, 0, 0, 0], [0]]);
    }
  }
});

test("what a failure or an early end finds waiting is nowhere, and a failed write not written", async () => {
  for (const end of ["write", "terminate"]) {
    const look = probe();
    const strategy = { highWaterMark: 9 };
    const stage = new TransformStream(
      look.transformer<number, number>({
        transform(n, controller) {
          if (end === "terminate" && n === 2) controller.terminate();
          else controller.enqueue(n);
        },
      }, { writableStrategy: strategy, readableStrategy: strategy }),
      strategy,
      strategy,
    );
    const write = async (n: number) => {
      await settle();
      if (end === "write" && n === 2) throw "full";
    };
    const sink = new WritableStream(look.writer<number>({ write }, { strategy }), strategy);
    await new ReadableStream(look.reader(numbers(5))).pipeThrough(stage).pipeTo(sink)
      .catch(() => {});
    await settle();
    assertEquals(places(look), [[0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0]], end);
    assertEquals(look.events().at(-1)!.occupancy.written, 1);
  }
});

test("what an abort finds waiting is nowhere", async () => {
  const look = probe();
  const strategy = { highWaterMark: 9 };
  const readable = new ReadableStream(look.reader(numbers(5)));
  let finish = (): void => {};
  const write = () => new Promise<void>((resolve) => finish = resolve);
  const sink = new WritableStream(look.writer<number>({ write }, { strategy }), strategy);
  const defaultWriter = sink.getWriter();
  const writes: Promise<unknown>[] = [defaultWriter.closed.catch(() => {})];
  for await (const chunk of readable) writes.push(defaultWriter.write(chunk).catch(() => {}));
  await settle();
  assertEquals(places(look)[0], [0, 0, 0, 0, 4, 1, 0]);
  const aborted = defaultWriter.abort("why");
  finish();
  await Promise.all([aborted, ...writes]);
  assertEquals(places(look), [[0, 0, 0, 0, 0, 0, 1], [0, 0]]);
});

test("a second source or sink, a stage used twice, and what is no stage are refused", () => {
  const look = probe();
  const source = look.reader(numbers(1));
  look.writer({});
  const message = "the probe already has one";
  assertThrows(() => look.reader([1]), TypeError, `Cannot probe reader: ${message}`);
  assertThrows(() => look.writer(() => {}), TypeError, `Cannot probe writer: ${message}`);
  new ReadableStream(source);
  assertThrows(() => new ReadableStream(source), TypeError, "serves one stream");
  assertThrows(() => probe().reader(5 as never), TypeError, "must be an object or a function");
  assertThrows(() => probe().writer(new WritableStream()), TypeError, "an underlying sink");
  assertThrows(() => look.transformer({}, { nme: "x" } as never), TypeError, 'option "nme"');
  assertThrows(() => probe({ capacity: -1 }), RangeError, "capacity must be a non-negative");
  assertThrows(() => probe({ onEvent: 5 as never }), TypeError, "onEvent must be a function");
});
