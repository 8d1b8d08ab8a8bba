import { inFolder } from "../lib/in_folder.ts";
import { setImmediate } from "node:timers";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileChangedError, type OpenFile, ServedFile } from "../../src/files/served_file.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";
import { ReadPace } from "../../src/files/read_pace.ts";
import { type Opened, openServedFile } from "../../src/files/open_served_file.ts";
import { asPlatform, hasLinks } from "./fixture.ts";

/** The next `count` steps by their initials, each synchronous one taking `elapsedMs`. */
function steps(pace: ReadPace, count: number, elapsedMs = 0): string {
  let initials = "";
  for (let index = 0; index < count; index++) {
    const step = pace.next();
    if (step !== "wait") pace.note(elapsedMs);
    initials += step[0];
  }
  return initials;
}

test("the first read waits, one in eight yields; after a slow one eight wait, after the next sixteen", () => {
  const quick = new ReadPace();
  assertEquals(steps(quick, 17, 2), "wgggggggyggggggg" + "y");
  const pace = new ReadPace();
  const rows = [[3, 0, "wgg"], [1, 5, "g"], [8, 0, "wwwwwwww"], [1, 5, "g"]] as const;
  for (const [count, elapsedMs, seen] of rows) assertEquals(steps(pace, count, elapsedMs), seen);
  assertEquals(steps(pace, 16), "w".repeat(16));
  assertEquals(steps(pace, 5), "gggyg");
  // Of a disk that is always slow, few are synchronous.
  assertEquals(steps(new ReadPace(), 10_000, 5).replaceAll("w", "").length, 11);
});

test("with many readers each synchronous read yields", () => {
  const pace = new ReadPace();
  const initials = Array.from({ length: 6 }, () => pace.next(9)[0]).join("");
  assertEquals([initials, pace.next(8)], ["wyyyyy", "go"]);
});

const withFile = (use: (root: string, path: string) => Promise<void>) =>
  inFolder((root) => use(root, join(root, "a.txt")));

function asFile(opened: Opened): ServedFile {
  if (opened === undefined || opened === "folder") throw new Error("there is no file");
  return opened;
}

test("a file that was just written is opened once its stamp is old enough that a write would show", () =>
  withFile(async (root, path) => {
    for (let times = 0; times < 3; times++) {
      writeFileSync(path, `${times}`);
      const file = asFile(await openServedFile(root, ["a.txt"]));
      // Timers may fire a little early.
      assert(Date.now() - statSync(path).mtimeMs > 15);
      await file.close();
    }
  }));

test("what is promised of a file that is written while it is opened is what it then is", () =>
  withFile(async (root, path) => {
    writeFileSync(path, "one");
    const { now } = Date;
    // Its age is asked for after it has been looked at, and before it is waited for.
    Date.now = () => {
      Date.now = now;
      writeFileSync(path, "three");
      return statSync(path).mtimeMs;
    };
    try {
      const file = asFile(await openServedFile(root, ["a.txt"]));
      assertEquals(file.facts.size, 5);
      await file.close();
    } finally {
      Date.now = now;
    }
  }));

test("a file whose stamp lies in the future is not waited for", () =>
  withFile(async (root, path) => {
    writeFileSync(path, "one");
    // In whole seconds, which every system keeps.
    const future = new Date(Math.ceil(Date.now() / 1000) * 1000 + 1e9);
    utimesSync(path, future, future);
    const file = asFile(await openServedFile(root, ["a.txt"]));
    const { size, modifiedMs } = file.facts;
    assertEquals([size, modifiedMs], [3, statSync(path).mtimeMs]);
    await file.close();
  }));

test("without Linux's own word for where a file is, its path is looked up again", {
  skip: hasLinks ? false : "no links there",
}, () =>
  withFile(async (root, path) => {
    writeFileSync(path, "one");
    const outside = mkdtempSync(join(tmpdir(), "hosepipe-outside-"));
    writeFileSync(join(outside, "secret.txt"), "secret");
    symlinkSync(outside, join(root, "out"));
    try {
      await asPlatform("darwin", async () => {
        const file = asFile(await openServedFile(root, ["a.txt"]));
        assertEquals(file.facts.size, 3);
        await file.close();
        assertEquals(await openServedFile(root, ["out", "secret.txt"]), undefined);
      });
    } finally {
      rmSync(outside, { recursive: true });
    }
  }));

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

testStill("a big read is asynchronous, wherever it comes", async () => {
  const { seen, served } = recorded();
  const big = new Uint8Array(2 ** 20 + 1);
  for (const one of [big, buffer, big, buffer, big.subarray(1)]) await served.read(one, 0);
  assertEquals(seen, ["async", "async", "async", "sync", "sync"]);
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
