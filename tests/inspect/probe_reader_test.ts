import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { pipeline, reader } from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

test("a probed iterable is read once, sync or not", async () => {
  const message = "Cannot iterate: a probed reader is read once, wrap it again";
  const sync = probe().reader([1, 2]);
  assertEquals([...sync], [1, 2]);
  assertThrows(() => [...sync], TypeError, message);

  const numbers = (async function* () {
    yield 1;
  })();
  const late = probe().reader(numbers);
  assertEquals(await Array.fromAsync(late), [1]);
  assertThrows(() => late[Symbol.asyncIterator](), TypeError, message);
});

test("a probed iterator is closed with what it was left for, and answers what it would have", () => {
  const returned: unknown[] = [];
  const look = probe();
  const iterable = look.reader({
    [Symbol.iterator]: () => ({
      next: () => ({ done: false, value: 1 }),
      return(reason?: unknown) {
        returned.push(reason);
        return { done: true as const, value: "closed" as never };
      },
    }),
  });
  const iterator = iterable[Symbol.iterator]();
  const { done, value } = iterator.next();
  assertEquals([done, value], [false, 1]);
  assertEquals(iterator.return!("why"), { done: true, value: "closed" as never });
  assertEquals(returned, ["why"]);
  assertEquals(look.events().map(({ event, reason }) => [event, reason]), [
    ["read", undefined],
    ["cancel", "why"],
  ]);

  const bareLook = probe();
  const bare = bareLook.reader({
    [Symbol.iterator]: () => ({ next: () => ({ done: true as const, value: undefined }) }),
  })[Symbol.iterator]();
  assertEquals(bare.return, undefined);
  assertEquals(bareLook.events().map(({ event }) => event), ["cancel"]);
});

test("a probed underlying source is asked and cancelled as it is, on itself", async () => {
  const calls: unknown[] = [];
  const look = probe();
  const source: UnderlyingDefaultSource<number> = {
    pull(controller) {
      calls.push(["pull", this === source]);
      controller.enqueue(7);
    },
    cancel(reason) {
      calls.push(["cancel", this === source, reason]);
      return turns(1);
    },
  };
  const defaultReader = new ReadableStream(look.reader(source), { highWaterMark: 0 }).getReader();
  assertEquals(await defaultReader.read(), { done: false, value: 7 });
  await defaultReader.cancel("why");
  assertEquals(calls, [["pull", true], ["cancel", true, "why"]]);
  assertEquals(look.events().map(({ event }) => event), ["read", "backpressure", "cancel"]);
});

test("a probed byte source keeps its type and the size of its own buffers", async () => {
  const look = probe();
  const source = look.reader({
    type: "bytes",
    autoAllocateChunkSize: 16,
    pull(controller) {
      const { byobRequest } = controller;
      new Uint8Array(byobRequest!.view!.buffer)[0] = 42;
      byobRequest!.respond(1);
    },
  });
  assertEquals([source.type, source.autoAllocateChunkSize], ["bytes", 16]);
  const stream = new ReadableStream(source, { highWaterMark: 0 });
  const { value } = await stream.getReader().read();
  assertEquals([...value as Uint8Array], [42]);
});

test("a probed function's batches are counted chunk by chunk, as one the answer is", async () => {
  for (const isLate of [false, true]) {
    const batches: (number[] | null)[] = [[1, 2], [], [3], null];
    const look = probe();
    const source = look.reader(() => {
      const batch = batches.shift()!;
      return isLate ? Promise.resolve(batch) : batch;
    });
    assertEquals(await Array.fromAsync(reader(source)), [1, 2, 3]);
    const names = look.events().map(({ event }) => event).filter((name) => name !== "drain");
    assertEquals(names, ["read", "read", "read", "end"]);
  }
});

test("what a probed iterable promises is read when it is there, and fails as it would", async () => {
  const reason = new Error("late");
  const look = probe();
  const rejected = Promise.reject(reason);
  // The run may get to it only after a turn of the event loop.
  rejected.catch(() => {});
  const promises = [Promise.resolve(1), rejected];
  const written: unknown[] = [];
  const run = pipeline(look.reader(promises), (chunk: unknown) => void written.push(chunk));
  assertStrictEquals((await errorOf(run) as [unknown])[0], reason);
  assertEquals(written, [1]);
  const failure = look.events().find(({ event }) => event === "error");
  assertEquals(failure?.reason, "Error: late");
});

test("what a probed function answers that is no batch is passed on as it is, and is no chunk", async () => {
  const bytes = new Uint8Array(2);
  for (const other of ["ab", bytes, 5, { length: 1 }, true]) {
    for (const isLate of [false, true]) {
      const look = probe();
      const source = look.reader((() => isLate ? Promise.resolve(other) : other) as never);
      assertEquals(await (source as () => unknown)() === other, true);
      assertEquals(look.events(), []);
    }
  }
});

test("a chunk that a closed source refuses is not counted as given", () => {
  const look = probe();
  let controller!: ReadableStreamDefaultController<number>;
  new ReadableStream(look.reader<number>({ start: (given) => void (controller = given) }));
  new WritableStream(look.writer({ write: () => {} }));
  controller.enqueue(1);
  controller.close();
  const before = look.occupancy();
  assertThrows(() => controller.enqueue(2), TypeError);
  assertEquals([look.occupancy(), before.writerIn], [before, 0]);
});
