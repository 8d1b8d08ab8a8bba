import { setImmediate } from "node:timers";
import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import type { OpenFile } from "../../src/files/open_file.ts";
import { FileChangedError, ServedFile } from "../../src/files/served_file.ts";
import { turnsDuring } from "../lib/turns_during.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";

/** A file of `size` bytes that tells what is asked of it, by initials. */
function recorded(size = Infinity) {
  const seen: string[] = [];
  const state = {
    now: { size, modified: 1 },
    gate: Promise.resolve(),
    /** Called whenever it is asked for. */
    onLook: undefined as (() => void) | undefined,
  };
  const filled = (buffer: Uint8Array, position: number) =>
    Math.max(0, Math.min(buffer.length, size - position));
  const file: OpenFile = {
    async read(buffer, position) {
      seen.push("async");
      await state.gate;
      return filled(buffer, position);
    },
    readSync(buffer, position) {
      seen.push("sync");
      return filled(buffer, position);
    },
    state() {
      const { now } = state;
      state.onLook?.();
      return now;
    },
    close() {
      seen.push("close");
      return Promise.resolve();
    },
  };
  return {
    seen,
    state,
    served: new ServedFile(file, { size, modifiedMs: 1, changedMs: 1 }, state.now),
  };
}

const buffer = new Uint8Array(10);

/** A read is slow by the clock: on a busy machine any is. */
const testStill = (name: string, run: () => Promise<void>) =>
  test(name, () => withStoppedClock(run));

testStill("the first read is asynchronous, those after it are not", async () => {
  const { seen, served } = recorded();
  for (let index = 0; index < 4; index++) await served.read(buffer, 10 * index);
  assertEquals(seen, ["async", "sync", "sync", "sync"]);
});

testStill("a big read is asynchronous, wherever it comes", async () => {
  const { seen, served } = recorded();
  const big = new Uint8Array(2 ** 20 + 1);
  for (const one of [big, buffer, big, buffer, big.subarray(1)]) await served.read(one, 0);
  assertEquals(seen, ["async", "async", "async", "sync", "sync"]);
});

testStill("others get their turn between synchronous reads", async () => {
  const { served } = recorded();
  const turns = await turnsDuring(async () => {
    for (let index = 0; index < 1 + 8 * 20; index++) await served.read(buffer, 0);
  });
  // A task that counts may come a turn late.
  assertEquals(turns >= 10, true, `${turns} turns`);
});

testStill("a file closed while others have their turn is not read", async () => {
  const { seen, served } = recorded();
  for (let index = 0; index < 8; index++) await served.read(buffer, 0);
  seen.length = 0;
  const reading = served.read(buffer, 0);
  await served.close();
  await assertRejects(() => reading, Error, "the file is closed");
  assertEquals(seen, ["close"]);
});

testStill("closing waits for a read under way, and closes once", async () => {
  const { seen, state, served } = recorded();
  const { promise, resolve } = Promise.withResolvers<void>();
  state.gate = promise;
  const reading = served.read(buffer, 0);
  const closing = Promise.all([served.close(), served.close()]);
  await new Promise<void>((resolve) => setImmediate(() => resolve()));
  assertEquals(seen, ["async"]);
  resolve();
  await assertRejects(() => reading, Error, "closed meanwhile");
  await closing;
  assertEquals(seen, ["async", "close"]);
});

testStill(
  "a file that ends early, becomes shorter or is overwritten fails every kind of read",
  async () => {
    for (const reads of [0, 1]) {
      const early = recorded(10);
      if (reads === 1) await early.served.read(buffer, 0);
      await assertRejects(() => early.served.read(buffer, 10), FileChangedError, "shorter");
      for (
        const [now, message] of [
          [{ size: 99, modified: 1 }, "shorter"],
          [{ size: 99, modified: 2 }, "shorter"],
          [{ size: 100, modified: 2 }, "overwritten"],
          [{ size: 100, modified: 0 }, "overwritten"],
        ] as const
      ) {
        const changed = recorded(100);
        if (reads === 1) await changed.served.read(buffer, 0);
        changed.state.now = now;
        await assertRejects(() => changed.served.read(buffer, 0), FileChangedError, message);
      }
    }
  },
);

testStill(
  "a file that grows is read on, also when its time is seen before its length",
  async () => {
    const { state, served } = recorded(100);
    state.now = { size: 150, modified: 2 };
    assertEquals(await served.read(buffer, 0), 10);
    state.now = { size: 150, modified: 3 };
    state.onLook = () => state.now = { size: 200, modified: 3 };
    assertEquals(await served.read(buffer, 10), 10);
    state.onLook = undefined;
    // What it has grown to, it is compared with.
    state.now = { size: 200, modified: 4 };
    await assertRejects(() => served.read(buffer, 20), FileChangedError, "overwritten");
  },
);
