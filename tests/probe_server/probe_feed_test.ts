import { assertEquals } from "@std/assert";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { ProbeFeed } from "../../src/probe_server/probe_feed.ts";
import { showProbe } from "../../src/probe_server/shown.ts";
import { probe } from "@hosepipe/streams/inspect";
import { recorderOf } from "../../src/inspect/create_output.ts";
import { noChunk } from "../../src/inspect/stage_record.ts";
import { driven } from "../inspect/_by_hand.ts";

/** What a page is sent, and when the system has taken it. */
class Page extends EventEmitter {
  readonly texts: string[] = [];
  readonly taken: (() => void)[] = [];
  destroyed = false;
  isEnded = false;

  write(text: string, taken: () => void): void {
    this.texts.push(text);
    this.taken.push(taken);
  }

  end(text: string, _ended: () => void): void {
    this.texts.push(text);
    this.isEnded = true;
  }

  destroy(): void {
    this.destroyed = true;
  }

  /** How many states it has seen, and how many it has missed. */
  get seen(): [count: number, skipped: number] {
    const last = JSON.parse(this.texts.at(-1)!.replace(/^data: /, ""));
    return [this.texts.length, last.skipped];
  }
}

/** A feed whose looks at the pipeline are made by hand. */
async function withFeed(
  use: (feed: ProbeFeed, look: () => void, run: ReturnType<typeof driven>) => Promise<void> | void,
): Promise<void> {
  const { setInterval: set, clearInterval: clear } = globalThis;
  const timers = new Set<() => void>();
  globalThis.setInterval = ((callback: () => void) => {
    timers.add(callback);
    return callback;
  }) as never;
  globalThis.clearInterval = ((callback: () => void) => void timers.delete(callback)) as never;
  try {
    const run = driven();
    const feed = new ProbeFeed(showProbe(recorderOf("test", run.look), undefined));
    await use(feed, () => {
      for (const callback of timers) callback();
    }, run);
    await feed.close();
    assertEquals(timers.size, 0);
  } finally {
    Object.assign(globalThis, { setInterval: set, clearInterval: clear });
  }
}

function open(feed: ProbeFeed): Page {
  const page = new Page();
  feed.open(page as unknown as ServerResponse);
  return page;
}

test("a page sees a state at once, each that is new, and of those that are alike every tenth", async () => {
  await withFeed((feed, look, run) => {
    const page = open(feed);
    const follow = () => {
      look();
      for (const taken of page.taken.splice(0)) taken();
      return page.seen;
    };
    page.taken.shift()!();
    assertEquals(page.seen, [1, 0]);
    assertEquals(follow(), [2, 0]);
    for (let alike = 1; alike < 10; alike++) assertEquals(follow(), [2, 0]);
    assertEquals(follow(), [3, 0]);
    for (let alike = 1; alike < 10; alike++) assertEquals(follow(), [3, 0]);
    run.pull();
    assertEquals(follow(), [4, 0]);
    for (let alike = 1; alike < 10; alike++) assertEquals(follow(), [4, 0]);
    assertEquals(follow(), [5, 0]);
    page.emit("close");
  });
});

test("a page that has not taken what it was sent is sent no more, and hears how much it missed", async () => {
  await withFeed((feed, look, run) => {
    const [slow, quick] = [open(feed), open(feed)];
    for (let step = 1; step <= 3; step++) {
      quick.taken.shift()!();
      run.pull();
      look();
      assertEquals([slow.seen, quick.seen], [[1, 0], [1 + step, 0]]);
    }
    slow.taken.shift()!();
    quick.taken.shift()!();
    run.pull();
    look();
    assertEquals([slow.seen, quick.seen], [[2, 3], [5, 0]]);
    slow.emit("close");
    quick.emit("close");
  });
});

test("nothing looks once the last page has left; an error of a page is none of the process", async () => {
  await withFeed((feed, look, run) => {
    const [one, other] = [open(feed), open(feed)];
    one.taken.shift()!();
    other.taken.shift()!();
    one.emit("error", new Error("gone"));
    one.emit("close");
    look();
    assertEquals([one.texts.length, other.texts.length], [1, 2]);
    other.taken.shift()!();
    other.emit("close");
    run.pull();
    look();
    assertEquals([one.texts.length, other.texts.length], [1, 2]);
    // The next page starts it again.
    const next = open(feed);
    next.taken.shift()!();
    look();
    assertEquals(next.texts.length, 2);
    next.emit("close");
  });
});

test("a feed that is closed takes leave of pages that keep up, waits for them, and takes no others", async () => {
  await withFeed(async (feed) => {
    const [slow, quick] = [open(feed), open(feed)];
    quick.taken.shift()!();
    let isClosed = false;
    const closing = feed.close().then(() => isClosed = true);
    assertEquals([slow.isEnded, quick.isEnded, quick.texts.at(-1)], [
      ...[false, true],
      "event: bye\ndata:\n\n",
    ]);
    for (let n = 0; n < 10; n++) await Promise.resolve();
    assertEquals(isClosed, false);
    // It went away instead of hearing it out.
    quick.emit("close");
    await closing;
    const late = open(feed);
    assertEquals([late.destroyed, late.texts], [true, []]);
    late.emit("error", new Error("gone"));
  });
});

test("a mark without an end is sent as a word, which JSON has no number for", () => {
  const look = probe();
  const strategy = { highWaterMark: Infinity };
  new ReadableStream(look.reader({ start() {} }, { strategy }), strategy);
  const feed = new ProbeFeed(showProbe(recorderOf("test", look), undefined));
  const page = open(feed);
  const { state } = JSON.parse(page.texts[0]!.replace(/^data: /, ""));
  assertEquals([state.buffers[0].highWaterMark, state.buffers[0].desiredSize], [
    ...["Infinity", "Infinity"],
  ]);
  page.emit("close");
});

test("chunks are remembered only while a feed that may show them is open", () => {
  const run = driven();
  const recorder = recorderOf("test", run.look);
  const chunks = () => recorder.stages.map(({ lastChunk }) => lastChunk);
  run.pull();
  assertEquals(chunks(), [noChunk, noChunk, noChunk]);
  const [one, other, blind] = [String, String, undefined].map((show) =>
    new ProbeFeed(showProbe(recorder, show))
  );
  run.pull();
  run.transform();
  assertEquals(chunks(), [2, 1, noChunk]);
  blind!.close();
  one!.close();
  run.pull();
  assertEquals(chunks(), [3, 1, noChunk]);
  other!.close();
  assertEquals(chunks(), [noChunk, noChunk, noChunk]);
  run.pull();
  assertEquals(chunks(), [noChunk, noChunk, noChunk]);
});
