import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { flatMap, fuse, map, toArray } from "@hosepipe/streams";
import { TimedTurnBudget, yieldTurn } from "../../src/engine/turn_budget.ts";
import { withClock } from "../lib/with_clock.ts";

/** Gives `use` a turn with a clock that it moves by hand. */
function withTurn(use: (turn: TimedTurnBudget, pass: (ms: number) => void) => void) {
  let nowMs = 1_000;
  return withClock(() => nowMs, () => use(new TimedTurnBudget(), (ms) => nowMs += ms));
}

test("a turn asks the clock twice as seldom each time, up to 128 chunks, while they are cheap", () => {
  return withTurn((turn) => {
    const sizes = [turn.sliceSize];
    while (sizes.length < 10) {
      assertEquals(turn.isOver(turn.sliceSize), false);
      sizes.push(turn.sliceSize);
    }
    assertEquals(sizes, [1, 2, 4, 8, 16, 32, 64, 128, 128, 128]);
  });
});

test("a turn asks four times as often where chunks are dear, in the end after each, and is steady between", () => {
  return withTurn((turn, pass) => {
    for (let count = 0; count < 7; count++) turn.isOver(turn.sliceSize);
    const step = (ms: number) => {
      turn.begin();
      pass(ms);
      // Two steps at least are taken in a turn.
      turn.isOver(Math.max(2, turn.sliceSize));
      return turn.sliceSize;
    };
    assertEquals([step(2.5), step(2), step(0.5), step(2.5), step(7)], [32, 32, 32, 8, 2]);
    assertEquals([step(3), step(3), step(0.25), step(0.25)], [1, 1, 2, 4]);
  });
});

test("a turn is over after more than 8 ms, stays so until the next begins, and that has 8 ms again", () => {
  return withTurn((turn, pass) => {
    // The first turn counts from the first look on, however late that is.
    pass(100);
    assertEquals(turn.isOver(1), false);
    pass(8);
    assertEquals(turn.isOver(turn.sliceSize), false);
    pass(0.1);
    assertEquals(turn.isOver(turn.sliceSize), true);
    assertEquals(turn.isOver(0), true);
    turn.begin();
    assertEquals(turn.isOver(0), false);
    pass(8);
    assertEquals(turn.isOver(turn.sliceSize), false);
    pass(1);
    assertEquals(turn.isOver(turn.sliceSize), true);
  });
});

test("yieldTurn calls back in a task of its own, after what waits already", async () => {
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  yieldTurn(() => {
    order.push("task");
    resolve();
  });
  order.push("now");
  Promise.resolve().then(() => order.push("microtask"));
  await promise;
  assertEquals(order, ["now", "microtask", "task"]);
});

test("where there is no setImmediate yieldTurn goes by a channel each time, and closes it", async () => {
  const { setImmediate, MessageChannel } = globalThis as unknown as {
    setImmediate: unknown;
    MessageChannel: typeof globalThis.MessageChannel;
  };
  const opened: MessagePort[] = [];
  const closed: MessagePort[] = [];
  Object.assign(globalThis, {
    setImmediate: undefined,
    MessageChannel: function () {
      const channel = new MessageChannel();
      const { port1 } = channel;
      const close = port1.close.bind(port1);
      port1.close = () => {
        closed.push(port1);
        close();
      };
      opened.push(port1);
      return channel;
    },
  });
  try {
    // A module of its own, which looks again at what there is.
    const path: string = "../../src/engine/turn_budget.ts?without-set-immediate";
    const { yieldTurn } = await import(path) as {
      yieldTurn: (callback: () => void) => void;
    };
    const order: string[] = [];
    const turns = ["a", "b"].map((name) =>
      new Promise<void>((resolve) =>
        yieldTurn(() => {
          order.push(name);
          resolve();
        })
      )
    );
    await Promise.resolve();
    assertEquals([order, closed.length], [[], 0]);
    await Promise.all(turns);
    assertEquals(order, ["a", "b"]);
    assertEquals([opened.length, closed], [2, opened]);
  } finally {
    Object.assign(globalThis, { setImmediate, MessageChannel });
  }
});

test("a clock that stands still while code runs ends a turn after many looks at it", () => {
  return withTurn((turn) => {
    const countWalked = () => {
      let walked = 0;
      for (; !turn.isOver(turn.sliceSize); walked += turn.sliceSize);
      return walked;
    };
    const [first, next] = [countWalked(), (turn.begin(), countWalked())];
    assertEquals([first > 10_000, first < 100_000], [true, true]);
    assertEquals([next > 10_000, next < 100_000], [true, true]);
  });
});

test("a run moves on in each turn, on a machine so busy that a turn is over before it has begun", () => {
  let nowMs = 0;
  return withClock(() => nowMs += 20, async () => {
    const source = new ReadableStream({
      start(controller) {
        for (const n of [1, 2, 3]) controller.enqueue(n);
        controller.close();
      },
    });
    const stages = [map((n: number) => n + 1), flatMap((n: number) => [n, n])] as const;
    assertEquals(await toArray([1, 2, 3], ...stages), [2, 2, 3, 3, 4, 4]);
    assertEquals(await toArray(source, ...stages), [2, 2, 3, 3, 4, 4]);
    const fused = fuse(...stages);
    const out = toArray(fused.readable);
    const writer = fused.writable.getWriter();
    for (const n of [1, 2, 3]) await writer.write(n);
    await writer.close();
    assertEquals(await out, [2, 2, 3, 3, 4, 4]);
  });
});
