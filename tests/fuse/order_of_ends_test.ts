import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fuse } from "@hosepipe/streams";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

type Log = string[];
type Ends = {
  readonly writer: WritableStreamDefaultWriter<unknown>;
  readonly reader: ReadableStreamDefaultReader<unknown>;
  readonly log: Log;
  /** Notes how a promise settles. */
  watch(name: string, promise: Promise<unknown>): void;
};

/** A fused stage whose calls are noted, with `cancel` as it is given, and what is done with its ends. */
async function logOf(
  cancel: () => unknown,
  act: (ends: Ends) => void | Promise<void>,
): Promise<Log> {
  const log: Log = [];
  const { readable, writable } = fuse({
    transform(chunk: unknown, controller: TransformStreamDefaultController<unknown>) {
      log.push(`transform ${chunk}`);
      controller.enqueue(chunk);
    },
    flush: () => void log.push("flush"),
    cancel(reason: unknown) {
      log.push(`cancel ${reason}`);
      return cancel() as void;
    },
  });
  const [writer, reader] = [writable.getWriter(), readable.getReader()];
  for (const promise of [writer.closed, writer.ready, reader.closed]) promise.catch(() => {});
  const watch = (name: string, promise: Promise<unknown>) =>
    void promise.then(() => log.push(name), (reason) => log.push(`${name}: ${reason}`));
  await act({ writer, reader, log, watch });
  await turns(2);
  return log;
}

const now = (): void => {};
const later = async (): Promise<void> => await turns(1);
const failing = (): never => {
  throw "own";
};

test("fuse: an abort and a cancel in one turn, while cancel goes on, both fail with the abort's reason", async () => {
  for (const isAbortFirst of [true, false]) {
    const log = await logOf(later, ({ writer, reader, watch }) => {
      const abort = () => watch("aborted", writer.abort("abort"));
      const cancel = () => watch("cancelled", reader.cancel("cancel"));
      for (const act of isAbortFirst ? [abort, cancel] : [cancel, abort]) act();
    });
    assertEquals(log[0], "cancel cancel");
    assertEquals(log.slice(1).sort(), ["aborted: abort", "cancelled: abort"]);
  }
});

test("fuse: an abort that comes while a cancel goes on fails both", async () => {
  const log = await logOf(later, async ({ writer, reader, watch }) => {
    await turns(1);
    watch("cancelled", reader.cancel("cancel"));
    watch("aborted", writer.abort("abort"));
  });
  assertEquals(log[0], "cancel cancel");
  assertEquals(log.slice(1).sort(), ["aborted: abort", "cancelled: abort"]);
});

test("fuse: a close and a cancel in one turn both succeed, while cancel goes on and a read waits", async () => {
  const log = await logOf(later, ({ writer, reader, watch }) => {
    watch("read", reader.read());
    watch("closed", writer.close());
    watch("cancelled", reader.cancel("cancel"));
  });
  assertEquals(log, ["cancel cancel", "read", "cancelled", "closed"]);
});

test("fuse: a cancel settles before the writes and the close that it rejects", async () => {
  for (const [cancel, reason] of [[now, "cancel"], [later, "cancel"], [failing, "own"]] as const) {
    for (const isStarted of [false, true]) {
      const log = await logOf(cancel, async ({ writer, reader, watch }) => {
        watch("first", writer.write(1));
        watch("second", writer.write(2));
        watch("closed", writer.close());
        if (isStarted) await turns(1);
        watch("cancelled", reader.cancel("cancel"));
      });
      // Deno takes a microtask more over what a source's `cancel` answers, which may let the others go before.
      const isLate = currentRuntime().name === "deno" && !isStarted;
      const sorted = (events: Log) => isLate ? events.toSorted() : events;
      assertEquals(
        sorted(log),
        sorted([
          "cancel cancel",
          cancel === failing ? "cancelled: own" : "cancelled",
          ...["first", "second", "closed"].map((name) => `${name}: ${reason}`),
        ]),
      );
    }
  }
});

test("fuse: a read is answered before what follows the write that it lets go", async () => {
  const log = await logOf(now, async ({ writer, reader, watch }) => {
    watch("written", writer.write(1));
    watch("closed", writer.close());
    await turns(1);
    watch("read", reader.read());
  });
  assertEquals(log, ["transform 1", "read", "flush", "written", "closed"]);
});

test("fuse: an abort in the turn of a read stops the chunk that waited for it", async () => {
  const log = await logOf(now, async ({ writer, reader, watch }) => {
    watch("written", writer.write(1));
    await turns(1);
    watch("read", reader.read());
    watch("aborted", writer.abort("abort"));
  });
  assertEquals(log, ["cancel abort", "written: abort", "read: abort", "aborted"]);
});

test("fuse: an abort refuses a write that waits for room, and ends at once", async () => {
  const log = await logOf(now, async ({ writer, watch }) => {
    watch("first", writer.write(1));
    watch("second", writer.write(2));
    await turns(1);
    watch("aborted", writer.abort("abort"));
  });
  assertEquals(log, ["cancel abort", "first: abort", "second: abort", "aborted"]);
});

test("fuse: a write that waits in the turn of a cancel is refused, and not called done", async () => {
  const log = await logOf(now, async ({ writer, reader, watch }) => {
    watch("written", writer.write(1));
    await turns(1);
    watch("read", reader.read());
    watch("cancelled", reader.cancel("cancel"));
    watch("written beside it", writer.write(2));
  });
  assertEquals(log.toSorted(), [
    "cancel cancel",
    "cancelled",
    "read",
    "written beside it: cancel",
    "written: cancel",
  ]);
});

test("fuse: an abort or a cancel beside error or terminate is no TypeError", async () => {
  for (const end of ["error", "terminate"] as const) {
    for (const act of ["abort", "cancel"] as const) {
      let controller!: TransformStreamDefaultController<unknown>;
      const { readable, writable } = fuse({ start: (given) => void (controller = given) });
      controller.enqueue(1);
      const ended = errorOf(act === "abort" ? writable.abort("why") : readable.cancel("why"));
      controller[end]("failed");
      assertEquals(await ended, "none", `${act} beside ${end}`);
    }
  }
});

test("fuse: a stage that throws in the turn of a cancel hears the cancel, which succeeds", async () => {
  const heard: unknown[] = [];
  const { readable, writable } = fuse({
    transform: failing,
    cancel: (reason: unknown) => void heard.push(reason),
  }, { readableStrategy: { highWaterMark: 1 } });
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  await turns(1);
  const written = errorOf(writer.write(1));
  const cancelled = errorOf(readable.cancel("cancel"));
  assertEquals([await written, await cancelled, heard], [["own"], "none", ["cancel"]]);
});

test("fuse: an error in the turn of a cancel, before the start, is the writable side's alone", async () => {
  let controller!: TransformStreamDefaultController<unknown>;
  const { readable, writable } = fuse({ start: (given) => void (controller = given) });
  const writer = writable.getWriter();
  const closed = errorOf(writer.closed);
  const cancelled = errorOf(readable.cancel("cancel"));
  controller.error("error");
  assertEquals([await cancelled, await closed], ["none", ["error"]]);
});

test("fuse: reads before the start are given what is enqueued there, and a cancel behind them takes nothing back", async () => {
  const marks: QueuingStrategy<unknown>[] = [{}, { highWaterMark: 5 }, {
    highWaterMark: 5,
    size: () => 1,
  }];
  for (const readableStrategy of marks) {
    const { readable } = fuse({
      start(controller: TransformStreamDefaultController<unknown>) {
        for (const chunk of [1, 2, 3]) controller.enqueue(chunk);
      },
    }, { readableStrategy });
    const reader = readable.getReader();
    const reads = [1, 2, 3, 4].map(() => reader.read());
    const cancelled = reader.cancel("cancel");
    assertEquals((await Promise.all(reads)).map(({ value }) => value), [1, 2, 3, undefined]);
    await cancelled;
  }
});

test("fuse: chunks without a size are delivered before a failure, too", async () => {
  for (const highWaterMark of [0, 1, 1_000, Infinity]) {
    const { readable, writable } = fuse(
      {
        transform(chunk: unknown, controller: TransformStreamDefaultController<unknown>) {
          for (const made of [1, 2, 3]) controller.enqueue(made);
          assertEquals(controller.desiredSize, highWaterMark);
          controller.error(chunk);
        },
      },
      { readableStrategy: { highWaterMark, size: () => 0 } },
    );
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    const reader = readable.getReader();
    const first = reader.read();
    writer.write("failed").catch(() => {});
    await turns(1);
    assertEquals((await first).value, 1);
    assertEquals([(await reader.read()).value, (await reader.read()).value], [2, 3]);
    assertEquals(await errorOf(reader.read()), ["failed"]);
  }
});

test("fuse: an abort in the turn in which the start fails is heard, and fails with the start's error", async () => {
  const heard: unknown[] = [];
  const { writable } = fuse({
    start: () => Promise.reject("start"),
    cancel: (reason: unknown) => void heard.push(reason),
  });
  const aborted = errorOf(writable.abort("abort"));
  assertEquals([await aborted, heard], [["start"], ["abort"]]);
});

test("fuse: a cancel that calls error while a write waits fails the writer, and succeeds", async () => {
  let controller!: TransformStreamDefaultController<unknown>;
  const { readable, writable } = fuse({
    start: (given) => void (controller = given),
    cancel: () => controller.error("error"),
  });
  const writer = writable.getWriter();
  const closed = errorOf(writer.closed);
  const written = errorOf(writer.write(1));
  await turns(1);
  const cancelled = errorOf(readable.cancel("cancel"));
  assertEquals([await cancelled, await written, await closed], ["none", ["error"], ["error"]]);
});

test("fuse: a close and a cancel in the turn of a write that is taken at once both succeed", async () => {
  const { readable, writable } = fuse({}, { readableStrategy: { highWaterMark: 1 } });
  const writer = writable.getWriter();
  await turns(1);
  const ends = [writer.write(1), writer.close(), readable.cancel("cancel"), writer.closed];
  assertEquals(await Promise.all(ends.map(errorOf)), ["none", "none", "none", "none"]);
});

test("fuse: a cancel while a chunk waits before a failure rejects with it, and closes the reader", async () => {
  const { readable, writable } = fuse({}, { readableStrategy: { highWaterMark: 1 } });
  const [writer, reader] = [writable.getWriter(), readable.getReader()];
  writer.closed.catch(() => {});
  await writer.write(1);
  await writer.abort("abort");
  assertEquals(await errorOf(reader.cancel("cancel")), ["abort"]);
  assertEquals([await reader.read(), await errorOf(reader.closed)], [
    { done: true, value: undefined },
    "none",
  ]);
});

test("fuse: a cancel reaches every stage while one is busy", async () => {
  const heard: unknown[] = [];
  const cancel = (reason: unknown) => void heard.push(reason);
  const { readable, writable } = fuse(
    { cancel },
    { transform: () => new Promise<void>(() => {}), cancel },
  );
  const [writer, reader] = [writable.getWriter(), readable.getReader()];
  const closed = errorOf(writer.closed);
  reader.read();
  await writer.write(1);
  await reader.cancel("cancel");
  assertEquals([heard, await closed], [["cancel", "cancel"], ["cancel"]]);
});

test("fuse: an abort and a cancel of two stages in one turn: both hear the cancel, and the abort rejects", async () => {
  const heard: unknown[] = [];
  const cancel = (reason: unknown) => void heard.push(reason);
  const { readable, writable } = fuse({ cancel }, { cancel });
  const ends = [errorOf(writable.abort("abort")), errorOf(readable.cancel("cancel"))];
  assertEquals([await Promise.all(ends), heard], [[["abort"], "none"], ["cancel", "cancel"]]);
});
