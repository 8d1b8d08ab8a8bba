import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { demos } from "../../../scenarios/demo/demos.ts";
import { beforeFirstWritten, count, demoOf, eventsOf } from "./_run.ts";

test("each message is read, transformed, written, in the order of the messages", async () => {
  for (const demo of demos) {
    const events = await eventsOf(demo, "web");
    for (const name of ["read", "transform", "write"] as const) {
      const ids = events.filter(({ event }) => event === name).map(({ id }) => id);
      assertEquals(
        ids,
        Array.from(
          { length: ids.length },
          (_, index) =>
            demo.batchSize === 1
              ? `${index + 1}`
              : `${Math.floor(index / 5) + 1}.${String(index % 5 + 1).padStart(2, "0")}`,
        ),
      );
    }
    if (demo.writer === "none") continue;
    assertEquals(count(events, "written"), demo.messages);
    assertEquals(events.filter(({ id }) => id === null).map(({ stage }) => stage), [
      ...["reader", "transformer", "writer"],
    ]);
    for (const { id } of events.filter(({ event }) => event === "written")) {
      const order = events.filter((event) => event.id === id).map(({ event }) => event);
      assertEquals(order, ["read", "transform", "write", "written"]);
    }
  }
});

test("demo 01: one message at a time through transformer and writer, read ahead of them", async () => {
  const events = await eventsOf(demoOf("01"), "web");
  const inHands = events.map(({ occupancy: { transformerOut, writerIn, writing } }) =>
    transformerOut + writerIn + writing
  );
  assertEquals(Math.max(...inHands), 1);
  const inPipe = events.map(({ occupancy: { written: _, ...rest } }) =>
    Object.values(rest).reduce((sum, n) => sum + n, 0)
  );
  // Two in the reader's buffer, and one or two, by runtime, in the transformer's.
  assert([3, 4].includes(Math.max(...inPipe)));
});

test("demo 03: one in, one out: each finished write moves one message through every stage", async () => {
  const events = await eventsOf(demoOf("03"), "web");
  assertEquals(count(beforeFirstWritten(events), "read"), 8);
  assertEquals(count(beforeFirstWritten(events), "transform"), 4);
  const rest = events.slice(beforeFirstWritten(events).length);
  const moves = rest.map(({ event, id }) => `${event} ${id}`).join(", ").split(/, (?=written)/);
  assertEquals(moves.slice(0, 2), [
    "written 1, write 2, transform 5, read 9",
    "written 2, write 3, transform 6, read 10",
  ]);
});

test("demo 04: 20 messages in the pipe, where 16 fit, before the first is written", async () => {
  const before = beforeFirstWritten(await eventsOf(demoOf("04"), "web"));
  assertEquals([count(before, "read"), count(before, "transform")], [20, 8]);
  assertEquals(before.at(-1)!.occupancy, {
    ...{ readerOut: 8, transformerIn: 4, transformerOut: 4, writerIn: 3, writing: 1, written: 0 },
  });
});
