import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { map, pipeline, reader } from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";
import { countedSource } from "../lib/counted_source.ts";
import type { Stage } from "../lib/operator.ts";

test("a probed writer calls each method as the sink has it, and serves one stream", async () => {
  const log: string[] = [];
  const sink: UnderlyingSink<number> = {
    start(this: unknown) {
      log.push(`start ${this === sink}`);
    },
    write(this: unknown, chunk) {
      log.push(`write ${chunk} ${this === sink}`);
    },
    close(this: unknown) {
      log.push(`close ${this === sink}`);
    },
    abort(this: unknown, reason: unknown) {
      log.push(`abort ${reason} ${this === sink}`);
    },
  };
  for (const end of ["close", "abort"] as const) {
    const look = probe();
    const probed = look.writer(sink);
    const output = new WritableStream(probed).getWriter();
    await output.write(1);
    await output[end](end === "abort" ? "why" : undefined).catch(() => {});
    output.closed.catch(() => {});
    assertThrows(
      () => new WritableStream(probed),
      TypeError,
      "Cannot start: a probed writer serves one stream, wrap it again",
    );
  }
  assertEquals(log, [
    ...["start true", "write 1 true", "close true"],
    ...["start true", "write 1 true", "abort why true"],
  ]);
});

/** A transformer of which each method writes down that it was called on the object it belongs to. */
function recorded(log: string[], rest: Partial<Stage> = {}): Stage {
  const stage: Stage = {
    start: function (this: unknown) {
      log.push(`start ${this === stage}`);
    },
    transform: function (this: unknown, chunk, controller) {
      log.push(`transform ${chunk} ${this === stage}`);
      controller.enqueue(chunk);
    },
    flush: function (this: unknown) {
      log.push(`flush ${this === stage}`);
    },
    cancel: function (this: unknown, reason: unknown) {
      log.push(`cancel ${reason} ${this === stage}`);
    },
    ...rest,
  } as Stage;
  return stage;
}

test("a probed transformer calls each method as the transformer has it", async () => {
  const log: string[] = [];
  const look = probe();
  const stage = new TransformStream(look.transformer(recorded(log)));
  const { readable } = countedSource({ length: 2 });
  assertEquals(await Array.fromAsync(readable.pipeThrough(stage)), [0, 1]);
  assertEquals(log, ["start true", "transform 0 true", "transform 1 true", "flush true"]);
  const names = look.events().map(({ event }) => event);
  assertEquals(names.filter((name) => name !== "backpressure" && name !== "drain"), [
    ...["transform", "transform", "final"],
  ]);
});

test("a probed transformer is cancelled with the reason, and its cancel is waited for", async () => {
  const log: string[] = [];
  const cancelled = Promise.withResolvers<void>();
  const look = probe();
  const transformer = look.transformer(recorded(log, {
    cancel(reason) {
      log.push(`cancel ${reason}`);
      return cancelled.promise;
    },
  } as Partial<Stage>));
  const { readable } = countedSource();
  const output = readable.pipeThrough(new TransformStream(transformer));
  let isCancelled = false;
  const cancelling = output.cancel("why").then(() => isCancelled = true);
  await turns();
  assertEquals([log.at(-1), isCancelled], ["cancel why", false]);
  cancelled.resolve();
  await cancelling;
  assertEquals(look.events().map(({ event, reason }) => [event, reason]).at(-1), ["cancel", "why"]);
});

test("what a probed transformer's methods throw is the stream's failure, by identity", async () => {
  for (const method of ["start", "transform", "flush"] as const) {
    for (const isLate of [false, true]) {
      const reason = new Error(`${method} failed`);
      const fail = () => {
        if (!isLate) throw reason;
        return Promise.reject(reason);
      };
      const look = probe();
      const transformer = look.transformer(recorded([], { [method]: fail }));
      const run = async () => {
        const { readable } = countedSource({ length: 1 });
        await Array.fromAsync(readable.pipeThrough(new TransformStream(transformer)));
      };
      assertEquals(await errorOf(run()), [reason]);
      const failures = look.events().filter(({ event }) => event === "error");
      assertEquals(failures.map(({ reason }) => reason), [String(reason)], method);
    }
  }
});

test("a probed transformer serves one stream, and takes no options that are unknown", () => {
  const look = probe();
  const transformer = look.transformer({});
  new TransformStream(transformer);
  assertThrows(
    () => new TransformStream(transformer),
    TypeError,
    "Cannot start: a probed transformer serves one stream, wrap it again",
  );
  assertThrows(
    () => look.transformer({}, { strategy: {} } as never),
    TypeError,
    "strategy",
  );
});

test("a probed transformer has a type only where its own has one, since WebKit refuses any", () => {
  const typesOf = (transformer: object) =>
    Object.keys(probe().transformer(transformer as never)).filter((name) => name.endsWith("Type"));
  assertEquals(typesOf({ transform() {} }), []);
  assertEquals(typesOf(map((n: number) => n)), []);
  assertEquals(typesOf({ readableType: undefined }), ["readableType"]);
  const typed = probe().transformer({ writableType: "bytes" } as never);
  assertThrows(() => new TransformStream(typed), RangeError);
});

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
