import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { probe, type ProbeEvent, type RecordingHeader } from "@hosepipe/streams/inspect";
import { turns } from "../lib/turns.ts";
import { ProbeClock } from "../../src/inspect/recorder.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";
import { map, pipeline } from "@hosepipe/streams";
import { probe as nodeProbe, reader as nodeReader } from "@hosepipe/streams/node";

test("a clock that was given is read each time", () => {
  let nowMs = 0;
  const clock = new ProbeClock(() => ++nowMs);
  assertEquals([clock.isExact, clock.read(), clock.glance(), clock.glance()], [true, 2, 3, 4]);
});

test("the real clock, however often it is read in a turn, sets one timer", async () => {
  await withTimerCount(async (pending) => {
    const clock = new ProbeClock(undefined);
    for (let reads = 0; reads < 200; reads++) clock.glance();
    clock.read();
    clock.read();
    assertEquals(pending(), 1);
    await turns(2);
    assertEquals(pending(), 0);
  });
});

test("the real clock is believed for 64 glances of one turn, and never in the next", async () => {
  const { now: real } = performance;
  let reads = 0;
  performance.now = () => ++reads;
  try {
    const clock = new ProbeClock(undefined);
    assertEquals([clock.isExact, clock.glance(), clock.read()], [false, 2, 3]);
    const seen = Array.from({ length: 65 }, () => clock.glance());
    assertEquals(seen, [...new Array(64).fill(3), 4]);
    for (let turn = 0; turn < 3; turn++) {
      await turns(2);
      const before = reads;
      assertEquals(clock.glance() > before, true);
      const after = reads;
      assertEquals([clock.glance(), clock.glance()], [after, after]);
    }
  } finally {
    performance.now = real;
  }
});

function read(recording: string): { header: RecordingHeader; events: ProbeEvent[] } {
  const [header, ...events] = recording.trimEnd().split("\n").map((line) => JSON.parse(line));
  return { header, events };
}

test("a recording begins with what the pipeline is, and goes on with its events", async () => {
  const look = probe({ name: "orders\n1", capacity: 4 });
  await pipeline(
    look.reader([1, 2, 3], { strategy: { highWaterMark: 2 } }),
    look.transformer(map((n: number) => n), {
      name: 'a "double"',
      writableStrategy: { highWaterMark: 3 },
    }),
    look.writer(() => {}),
  );
  const { header, events } = read(look.toJsonLines());
  assertEquals(header, {
    format: "hosepipe-probe",
    version: 1,
    name: "orders\n1",
    dropped: look.dropped(),
    stages: [
      { name: "reader", kind: "reader" },
      {
        name: 'a "double"',
        kind: "transformer",
        inHighWaterMark: 3,
        outHighWaterMark: header.stages[1]!.outHighWaterMark!,
      },
      { name: "writer", kind: "writer", inHighWaterMark: 1 },
    ],
    summary: look.bottleneck().summary,
  });
  assertEquals(events, look.events());
  assertEquals(events[0]!.seq, header.dropped + 1);
});

test("a recording of nothing is a header", () => {
  const look = probe();
  assertEquals(look.name, "pipeline");
  const { header, events } = read(look.toJsonLines());
  assertEquals([header.name, header.stages, header.dropped, events], ["pipeline", [], 0, []]);
});

test("marks without a limit, and the room that is left below them, are written as words", async () => {
  const look = probe();
  const strategy = { highWaterMark: Infinity };
  let count = 0;
  const readable = new ReadableStream(
    look.reader<number>({
      pull: (controller) => count++ < 2 ? controller.enqueue(count) : controller.close(),
    }, { strategy }),
    strategy,
  );
  await readable.pipeTo(new WritableStream(look.writer({}, { strategy }), strategy));
  const { header, events } = read(look.toJsonLines());
  assertEquals(
    header.stages.map(({ inHighWaterMark, outHighWaterMark }) =>
      inHighWaterMark ?? outHighWaterMark
    ),
    ["Infinity", "Infinity"],
  );
  assertEquals(events[0]!.desiredSize as unknown, "Infinity");
});

test("a failure with undefined, and reasons over several lines, are one line each", async () => {
  for (const reason of [undefined, "one\ntwo\u2028three"]) {
    const look = probe();
    const failing = look.reader({
      pull() {
        throw reason;
      },
    });
    await new ReadableStream(failing).pipeTo(new WritableStream(look.writer({}))).catch(() => {});
    const { events } = read(look.toJsonLines());
    assertEquals(events.map(({ event, reason }) => [event, reason]), [
      ["error", String(reason)],
      ["cancel", String(reason)],
    ]);
  }
});

test("node streams are recorded in the same form", async () => {
  const look = nodeProbe({ name: "on node" });
  const stream = look.reader(nodeReader([1, 2], { highWaterMark: 2 }));
  for await (const _ of stream);
  const { header, events } = read(look.toJsonLines());
  assertEquals([header.name, header.stages], ["on node", [
    { name: "reader", kind: "reader", outHighWaterMark: 2 },
  ]]);
  assertEquals(events, look.events());
});

test("a name that is no string is refused", () => {
  const action = "must be a string, got 5";
  assertThrows(() => probe({ name: 5 } as never), TypeError, `Cannot create probe: name ${action}`);
  assertThrows(
    () => probe().writer(() => {}, { name: 5 } as never),
    TypeError,
    `Cannot probe writer: name ${action}`,
  );
});

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
