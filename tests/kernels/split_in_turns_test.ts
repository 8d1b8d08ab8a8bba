import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { splitInTurns, type Splitter } from "../../src/kernels/split_in_turns.ts";

const huge = "a".repeat(64 * 1024 + 1);

/** A splitter that makes so many chunks of each, and notes what it is asked to do. */
function counting(count: number) {
  const log: string[] = [];
  let left = 0;
  const splitter: Splitter<string, string[]> = {
    take(chunk) {
      log.push(`take ${chunk[0]}`);
      left = count;
    },
    step(limit, out) {
      log.push(`step ${limit}`);
      for (; left > 0 && limit > 0; left--, limit--) out.push(String(left));
      return left > 0;
    },
    keep: () => void log.push("keep"),
  };
  return { splitter, log };
}

/** A turn that is over after so many chunks, and the tasks that wait for the next. */
function handTurn(sliceSize: number, length: number) {
  let moved = 0;
  const waiting: (() => void)[] = [];
  return {
    waiting,
    turn: {
      sliceSize,
      isOver: (count: number) => (moved += count) >= length,
      next: (callback: () => void) => void waiting.push(callback),
    },
    begin() {
      moved = 0;
      for (const callback of waiting.splice(0)) callback();
    },
  };
}

test("without a turn a chunk is split at once, whatever it is", () => {
  const { splitter, log } = counting(1_000);
  const out: string[] = [];
  assertEquals(splitInTurns(splitter, "a", out, undefined), undefined);
  assertEquals([out.length, log], [1_000, ["take a", "step Infinity"]]);
});

test("a chunk of usual length is split at once", () => {
  const { splitter, log } = counting(1_000);
  const { turn } = handTurn(4, 8);
  const chunk = "b".repeat(64 * 1024);
  assertEquals(splitInTurns(splitter, chunk, [] as string[], turn), undefined);
  assertEquals(log.slice(1), ["step Infinity"]);
});

test("what is done before the turn is over answers at once", () => {
  const { splitter, log } = counting(7);
  const out: string[] = [];
  assertEquals(splitInTurns(splitter, huge, out, handTurn(4, 100).turn), undefined);
  assertEquals([out.length, log], [7, ["take a", "step 4", "step 4"]]);
});

test("a huge chunk gives up its turn inside, keeps what it needs of the chunk, and goes on in the next", async () => {
  const { splitter, log } = counting(30);
  const { turn, waiting, begin } = handTurn(4, 8);
  const out: string[] = [];
  const counts: number[] = [];
  const end = splitInTurns(splitter, huge, out, turn)!;
  let isDone = false;
  end.then(() => isDone = true);
  while (!isDone) {
    counts.push(out.length);
    await Promise.resolve();
    assertEquals(waiting.length, 1);
    begin();
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
  }
  assertEquals(counts, [8, 16, 24]);
  assertEquals(out.length, 30);
  assertEquals(log.filter((entry) => entry === "keep"), ["keep"]);
});

test("what another has used up of a turn is not taken again", async () => {
  const { splitter } = counting(9);
  const { turn, waiting, begin } = handTurn(4, 8);
  const out: string[] = [];
  const end = splitInTurns(splitter, huge, out, turn)!;
  begin();
  turn.isOver(8);
  await Promise.resolve();
  await Promise.resolve();
  assertEquals([out.length, waiting.length], [8, 1]);
  begin();
  await end;
  assertEquals(out.length, 9);
});

test("what fails in a later turn rejects", async () => {
  const { splitter } = counting(9);
  const { turn, begin } = handTurn(4, 8);
  const end = splitInTurns(splitter, huge, [] as string[], turn)!;
  Object.assign(splitter, {
    step() {
      throw undefined;
    },
  });
  begin();
  const reason = await end.then(() => "fulfilled", (reason) => [reason]);
  assertEquals(reason, [undefined]);
});
