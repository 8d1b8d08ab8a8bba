import { EventEmitter } from "node:events";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  channel,
  concat,
  fromEvents,
  merge,
  type Overflow,
  pipeline,
  retry,
  takeUntil,
  tee,
  timeout,
  toArray,
  zip,
} from "@hosepipe/streams";
import { counted, type Kind, kinds } from "../lib/counted.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";
import { countedSignal } from "../lib/counted_signal.ts";
import { isThorough } from "../lib/thorough.ts";

// What is promised takes about a minute; the gate does a fiftieth of it.
const load = isThorough ? 1 : 0.02;
const million = 1_000_000 * load;

/** Numbers below `limit` that a seed decides. */
function seeded(seed: number): (limit: number) => number {
  let state = seed % 2147483646 + 1;
  return (limit) => (state = state * 48271 % 2147483647) % limit;
}

test(`tee() of ${million} chunks to a fast and a slow branch holds highWaterMark + 1 at most`, async () => {
  const highWaterMark = 4;
  let made = 0;
  let taken = 0;
  let most = 0;
  function* source() {
    while (made < million) {
      most = Math.max(most, ++made - taken);
      yield made;
    }
  }
  const [fast, slow] = tee(source(), 2, { highWaterMark });
  let ahead = 0;
  await Promise.all([
    pipeline(fast!, (n) => void (ahead = n)),
    pipeline(slow!, (n) => {
      assertEquals(n, ++taken);
      return n % 1000 === 0 ? new Promise((resolve) => setTimeout(resolve)) : undefined;
    }),
  ]);
  assertEquals([taken, ahead], [million, million]);
  assert(most <= highWaterMark + 1, `held ${most}`);
});

for (const [name, join] of Object.entries({ concat, merge, zip })) {
  const runs = 10_000 * load;
  test(`${name}() reads one chunk ahead of each source at most, over ${runs} random runs`, async () => {
    for (let run = 1; run <= runs; run++) {
      const random = seeded(run * 7919);
      const sources = Array.from({ length: 1 + random(4) }, () => {
        const kind: Kind = kinds[random(3)]!;
        const failure = random(10) === 0 ? { reason: run } : undefined;
        return counted(kind, random(8), { failure });
      });
      const reader = join(...sources.map(({ source }) => source)).getReader();
      const given = name === "zip"
        ? (reads: number) => reads * sources.length
        : (reads: number) => reads;
      const until = random(12);
      let chunks = 0;
      try {
        while (chunks < until && !(await reader.read()).done) {
          chunks++;
          for (let n = random(4); n > 0; n--) await Promise.resolve();
          const ahead = sources.reduce((sum, { reads }) => sum + reads, 0) - given(chunks);
          assert(ahead <= sources.length, `run ${run}: ${ahead} ahead of ${sources.length}`);
        }
        await reader.cancel();
      } catch (reason) {
        assertEquals(reason, run);
      }
      const cancels = sources.map(({ cancels }) => cancels);
      assert(cancels.every((count) => count <= 1), `run ${run}: cancelled ${cancels}`);
    }
  });
}

for (const overflow of ["wait", "fail", "dropOldest", "dropNewest"] as const satisfies Overflow[]) {
  test(`${million} chunks through a channel() that overflows by ${overflow}: counts are exact`, async () => {
    const highWaterMark = 64;
    const sent = channel<number>({ highWaterMark, overflow });
    let accepted = 0;
    const produce = async () => {
      for (let n = 0; n < million; n++) {
        const sending = sent.send(n);
        if (overflow === "wait") await sending;
        else if (overflow === "fail") {
          if (await errorOf(sending) !== "none") break;
          await sent.ready;
        } else if (n % 97 === 0) await turns(n % 9700 === 0 ? 1 : 0);
        accepted++;
      }
      sent.close();
    };
    let last = -1;
    let received = 0;
    const consume = pipeline(sent.readable, (n) => {
      assert(n > last);
      last = n;
      received++;
    });
    const outcome = await errorOf(Promise.all([produce(), consume]));
    assertEquals(outcome, "none");
    assertEquals(received + sent.dropped, million);
    if (overflow === "wait" || overflow === "fail") {
      assertEquals([received, accepted], [million, million]);
    } else assert(sent.dropped > 0);
    if (overflow === "dropOldest") assertEquals(last, million - 1);
  });
}

test(`${100_000 * load} runs of each source leave no listener and no timer`, async () => {
  await withTimerCount(async (pending) => {
    const listened = countedSignal();
    const { signal } = listened;
    const emitter = new EventEmitter();
    const endings = ["end", "cancel", "failure"] as const;
    const failing = () => counted("sync", 2, { failure: { reason: 1 } }).source;
    for (let run = 0; run < 100_000 * load; run++) {
      const ending = endings[run % 3]!;
      const source = () => ending === "failure" ? failing() : [1, 2];
      const limits = { idleMs: 1_000_000, totalMs: 1_000_000 };
      const streams: ReadableStream<unknown>[] = [
        timeout(source(), limits),
        retry(source, { signal, attempts: 1 }),
        merge(timeout(source(), limits), timeout([3], limits)),
      ];
      const events = fromEvents(emitter, "tick", { until: "end", signal });
      emitter.emit("tick", run);
      if (ending === "end") emitter.emit("end");
      if (ending === "failure") emitter.emit("error", 1);
      streams.push(events);
      for (const stream of streams) {
        const limited = stream.pipeThrough(new TransformStream(takeUntil(signal)));
        if (ending === "cancel") {
          const reader = limited.getReader();
          await reader.read();
          await reader.cancel();
        } else await errorOf(toArray(limited));
      }
    }
    await Promise.resolve();
    assertEquals([pending(), listened.listeners(), emitter.eventNames()], [0, 0, []]);
  });
});
