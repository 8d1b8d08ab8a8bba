import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { map, pipeline } from "@hosepipe/streams";
import { probe, type ProbeEvent, type RecordingHeader } from "@hosepipe/streams/inspect";
import { probe as nodeProbe, reader as nodeReader } from "@hosepipe/streams/node";

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
