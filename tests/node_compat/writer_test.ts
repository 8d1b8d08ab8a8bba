import { assertEquals, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { reader, writer } from "@hosepipe/streams/node";
import { errorOf, reasons } from "./errors.ts";
import { settle, VirtualClock } from "./virtual_clock.ts";

test("writes chunks with their index, in order, then closes once", async () => {
  for (const concurrency of [1, 2, 10]) {
    for (const wait of [undefined, Promise.resolve()]) {
      const log: unknown[] = [];
      const stream = writer((chunk: string, index) => {
        log.push([chunk, index]);
        return wait;
      }, { concurrency, close: () => void log.push("close"), abort: () => void log.push("abort") });
      await new Promise((resolve) => reader(["a", "b", "c"]).pipe(stream).on("close", resolve));
      assertEquals(log, [["a", 0], ["b", 1], ["c", 2], "close"]);
    }
  }
});

test("fails with the first error once the others have settled, and starts no other", async () => {
  for (const reason of reasons) {
    for (const isLater of [false, true]) {
      const clock = new VirtualClock();
      const log: unknown[] = [];
      const stream = writer(async (chunk: number) => {
        log.push(`start ${chunk}`);
        await clock.sleep(chunk === 2 ? 1 : 5);
        log.push(`end ${chunk}`);
        if (isLater && chunk === 1) throw "a later error";
        if (chunk === 2) throw reason;
      }, {
        concurrency: 3,
        close: () => void log.push("close"),
        abort: () => void log.push("abort"),
      });
      stream.on("error", () => log.push("error"));
      const error = errorOf(stream);
      reader([1, 2, 3, 4, 5]).pipe(stream);
      await clock.run();
      assertStrictEquals(await error, reason);
      assertEquals(log, ["start 1", "start 2", "start 3", "end 2", "end 1", "end 3", "error"]);
    }
  }
});

test("a chunk that comes after a failure, while others are in flight, is not written", async () => {
  const clock = new VirtualClock();
  const log: unknown[] = [];
  const stream = writer(async (chunk: number) => {
    log.push(chunk);
    await clock.sleep(chunk);
    if (chunk === 1) throw "first";
  }, { concurrency: 5 });
  const error = errorOf(stream);
  stream.write(1);
  stream.write(9);
  clock.after(5, () => stream.write(3));
  await clock.run();
  assertEquals([await error, log], ["first", [1, 9]]);
});

test("an error while it waits for its end fails it, too", async () => {
  for (const reason of reasons) {
    let closes = 0;
    const stream = writer(() => settle().then(() => Promise.reject(reason)), {
      concurrency: 2,
      close: () => void closes++,
    });
    const error = errorOf(stream);
    stream.end(1);
    assertStrictEquals(await error, reason);
    assertEquals([closes, stream.writableFinished], [0, false]);
  }
});

test("fails with what write throws at once, and with what close throws or rejects with", async () => {
  for (const reason of reasons) {
    const fail = () => {
      throw reason;
    };
    const streams = [
      writer(fail),
      writer(fail, { concurrency: 2 }),
      writer(() => {}, { close: fail }),
      writer(() => {}, { close: () => Promise.reject(reason) }),
    ];
    for (const stream of streams) {
      const error = errorOf(stream);
      stream.end(1);
      assertStrictEquals(await error, reason);
    }
  }
});

test("releases once, last of all, however it ends", async () => {
  for (const end of ["close", "write", "destroy"]) {
    const log: string[] = [];
    const stream = writer(() => {
      log.push("write");
      if (end === "write") throw "broken";
    }, {
      close: () => void log.push("close"),
      abort: () => void log.push("abort"),
      release: () => void log.push("release"),
    });
    stream.on("error", () => {});
    stream.write(1);
    await settle();
    if (end === "close") stream.end();
    else stream.destroy();
    await settle();
    const before =
      { close: ["write", "close"], write: ["write"], destroy: ["write", "abort"] }[end];
    assertEquals([log, stream.closed], [[...before!, "release"], true]);
  }
});

test("destroying it answers the write in flight when that has settled, and then what was queued", async () => {
  for (const isFailing of [true, false]) {
    for (const error of [undefined, new Error("destroyed")]) {
      let settleWrite = (): void => {};
      const stream = writer(() =>
        new Promise<void>((resolve, reject) =>
          settleWrite = isFailing ? () => reject(new Error("failed")) : resolve
        )
      );
      stream.on("error", () => {});
      const answers: string[] = [];
      for (const name of ["first", "second"]) {
        stream.write(name, (failure) => answers.push(`${name} ${failure?.message}`));
      }
      stream.destroy(error);
      await settle();
      assertEquals([answers, stream.closed], [[], false]);
      settleWrite();
      await settle();
      const first = isFailing ? "failed" : undefined;
      const second = error?.message ?? first ?? "Cannot call write after a stream was destroyed";
      assertEquals(answers, [`first ${first}`, `second ${second}`]);
      assertEquals(stream.closed, true);
    }
  }
});
