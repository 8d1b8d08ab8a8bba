import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { hub, type HubBranch, type Overflow, toArray } from "@hosepipe/streams";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { range } from "../lib/range.ts";
import { turns } from "../lib/turns.ts";
import { draws } from "../lib/thorough.ts";

test("hub() replays the last chunks to who joins, even beyond its mark and after the end", async () => {
  const source = countedSource({ length: 6 });
  const { join } = hub(source.readable, { replay: 3, highWaterMark: 1 });
  const first = join().getReader();
  for (let n = 0; n < 4; n++) await first.read();
  const late = join();
  await first.cancel();
  assertEquals(await toArray(late), [1, 2, 3, 4, 5]);
  assertEquals(await toArray(join()), [3, 4, 5]);
  assertEquals(await toArray(hub([], { replay: 3 }).join()), []);
});

test("hub() that runs alone drops what nobody is there for, and lets the event loop have its turn", async () => {
  const source = countedSource();
  const news = hub(source.readable, { runAlone: true, replay: 2 });
  while (source.readCount < 1000) await turns(1);
  const reader = news.join().getReader();
  const values = [(await reader.read()).value!, (await reader.read()).value!];
  assertEquals(values[1], values[0]! + 1);
  assert(values[0]! > 100);
  const { readCount } = source;
  await turns(2);
  assert(source.readCount <= readCount + 1, "with a branch it reads on demand");
  await news.cancel("enough");
  await turns(2);
  assertEquals(source.cancelReasons, ["enough"]);
});

test("hub() that is disposed of cancels its source and fails its branches, unless it has ended", async () => {
  const unhandled = collectUnhandled();
  const source = countedSource({ length: 1, atEnd: "stall" });
  let reading!: Promise<unknown>;
  {
    await using news = hub(source.readable);
    const reader = news.join().getReader();
    await reader.read();
    reading = errorOf(reader.read());
    await turns(1);
  }
  const [error] = await reading as [Error];
  assertEquals([error.name, source.cancelReasons], ["AbortError", [error]]);
  const ending = countedSource({ length: 1 });
  {
    await using news = hub(ending.readable);
    assertEquals(await toArray(news.join()), [0]);
  }
  assertEquals(ending.cancelReasons, []);
  await turns(1);
  assertEquals(unhandled.take(), []);
  unhandled.close();
});

test("1,000 branches of hub() that fall behind hold no more than their marks, and count each chunk they miss", async () => {
  let sent = 0;
  const source = new ReadableStream<number>({
    pull: (controller) => controller.enqueue(sent++),
  }, { highWaterMark: 0 });
  const news = hub(source, { highWaterMark: 3 });
  const steady = news.join().getReader();
  const open: { branch: HubBranch<number>; from: number; mark: number; overflow: Overflow }[] = [];
  let checked = 0;
  const leave = async ({ branch, from, mark, overflow }: typeof open[number]) => {
    const missed = Math.max(0, sent - from - mark);
    assertEquals(branch.dropped, overflow === "fail" ? 0 : missed);
    const held = range(Math.min(mark, sent - from))
      .map((n) => overflow === "dropOldest" ? sent - Math.min(mark, sent - from) + n : from + n);
    const reader = branch.getReader();
    for (const n of held) assertEquals(await reader.read(), { done: false, value: n });
    if (overflow === "fail" && missed > 0) {
      assertEquals((await errorOf(reader.read()))[0] instanceof RangeError, true);
    } else await reader.cancel();
    checked++;
  };
  const policies = ["dropOldest", "dropNewest", "fail"] as const;
  for (let n = 0; n < 1000; n++) {
    const plan = { mark: n % 4, overflow: policies[n % 3]! };
    const branch = news.join({ highWaterMark: plan.mark, overflow: plan.overflow });
    open.push({ branch, from: sent, ...plan });
    for (let reads = n % 3; reads > 0; reads--) await steady.read();
    assert(news.branchCount <= 26);
    if (open.length > 25) await leave(open.splice(n % 25, 1)[0]!);
  }
  for (const each of open) await leave(each);
  assertEquals([checked, news.branchCount], [1000, 1]);
  await steady.cancel();
  assertEquals(news.branchCount, 0);
});

/** What a branch does, in steps. */
const branches = fc.array(
  fc.record({
    joinsAt: fc.nat(20),
    leavesAfter: fc.nat(12),
    highWaterMark: fc.nat(3),
    pause: fc.nat(2),
  }),
  { minLength: 1, maxLength: 5 },
);
const rounds = draws(100);

test("hub() gives each branch what a list gives from where it joined, over random comings and goings", async () => {
  await fc.assert(
    fc.asyncProperty(
      branches,
      fc.nat(20),
      fc.nat(3),
      fc.boolean(),
      async (plans, length, replay, fails) => {
        const reason = new Error("failed");
        const source = countedSource({ length, atEnd: fails ? { reason } : "close" });
        const news = hub(source.readable, { replay });
        const run = async (plan: typeof plans[number]) => {
          for (let step = 0; step < plan.joinsAt; step++) await undefined;
          const from = Math.max(0, source.readCount - replay - 1);
          const reader = news.join({ highWaterMark: plan.highWaterMark }).getReader();
          const seen: number[] = [];
          let end: unknown = "left";
          try {
            while (seen.length < plan.leavesAfter) {
              for (let step = 0; step < plan.pause; step++) await undefined;
              const { done, value } = await reader.read();
              if (done) {
                end = "done";
                break;
              }
              seen.push(value);
            }
          } catch (error) {
            end = error;
          }
          await reader.cancel().catch(() => {});
          const first = seen[0] ?? from;
          assertEquals(seen, range(seen.length).map((n) => n + first));
          assert(first >= from && first <= Math.max(from + replay + 1, 0) + 1, `${first}, ${from}`);
          if (end === "left") assertEquals(seen.length, plan.leavesAfter);
          else {
            assertEquals(end, fails ? reason : "done");
            if (seen.length > 0) assertEquals(seen.at(-1), length - 1);
          }
        };
        await Promise.all(plans.map(run));
        assertEquals([news.branchCount, source.cancelReasons], [0, []]);
      },
    ),
    { numRuns: rounds },
  );
});
