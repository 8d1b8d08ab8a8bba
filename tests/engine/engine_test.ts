import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { batch, filter, flatMap, map } from "@hosepipe/streams";
import { Engine } from "../../src/engine/engine.ts";
import { planStages } from "../../src/engine/plan_stages.ts";
import type { Ending, Input, Output } from "../../src/engine/ports.ts";
import { range } from "../lib/range.ts";
import { noPlace } from "../lib/no_place.ts";

interface Options {
  readonly sliceSize?: number;
  /** The step after which the turn is over. */
  readonly overAt?: number;
  /** Chunks that the output takes. */
  readonly room?: number;
  readonly maxQueued?: number;
}

/** An engine between ends that are looked at, with a turn that is never over but in `overAt`. */
function engineOf(
  stages: readonly unknown[],
  chunks: readonly unknown[],
  { sliceSize = 4, overAt = Infinity, room = Infinity, maxQueued = 0 }: Options = {},
) {
  /** What the turn was told of each step. */
  const moved: number[] = [];
  const out: unknown[] = [];
  /** How many chunks each call of the output was given. */
  const writes: number[] = [];
  const endings: Ending[] = [];
  let taken = 0;
  const input: Input = {
    take() {
      if (taken === chunks.length) return false;
      engine.feed(chunks[taken++]);
      return true;
    },
    stop() {},
    handleSettled() {},
  };
  const ends = {
    room,
    get taken() {
      return taken;
    },
  };
  const output: Output = {
    isDirect: false,
    isEnded: false,
    hasRoom: () => ends.room > 0,
    desiredSize: () => ends.room,
    writeOne(chunk) {
      ends.room--;
      writes.push(1);
      out.push(chunk);
    },
    write(chunks, count) {
      ends.room -= count;
      writes.push(count);
      for (let index = 0; index < count; index++) out.push(chunks[index]);
    },
    end: (ending) => void endings.push(ending),
  };
  const turn = {
    sliceSize,
    next: (callback: () => void) => callback(),
    isOver(count: number) {
      moved.push(count);
      return moved.length === overAt;
    },
  };
  const plans = planStages("test", stages);
  const engine: Engine = new Engine({ plans, input, output, turn, maxQueued, place: noPlace });
  engine.start();
  return { engine, moved, out, writes, endings, ends };
}

const add = () => map((n: number) => n + 1);
const repeat = (count: number) => flatMap((n: number) => range(count).map(() => n));

for (
  const [what, stages, count, { moved, writes, ...options }] of [
    ["one to one", [add(), add()], 3, { moved: [1, 1, 1], writes: [1, 1, 1] }],
    ["none of one", [filter(() => false), add()], 3, { moved: [1, 1, 1], writes: [] }],
    ["few of one", [repeat(3), add()], 2, { moved: [3, 3], writes: [3, 3] }],
    ["few of few", [repeat(3), repeat(2), add()], 1, { moved: [4, 2], writes: [4, 2] }],
    ["fewer of few", [repeat(4), filter((_, index) => index === 2)], 1, {
      moved: [4],
      writes: [1],
    }],
    ["one of many", [repeat(8), batch<number>(4), map((all) => all)], 1, {
      ...{ moved: [8, 4, 4], writes: [1, 1] },
    }],
    ["few of many", [repeat(8), batch<number>(4), map((all) => all)], 1, {
      ...{ sliceSize: 8, moved: [8], writes: [2] },
    }],
    ["many of one, by an array", [repeat(10), add()], 2, {
      ...{ moved: [10, 4, 4, 2, 10, 4, 4, 2], writes: [4, 4, 2, 4, 4, 2] },
    }],
    [
      "many of one, by a generator",
      [
        flatMap(function* (n: number) {
          yield* range(10).map(() => n);
        }),
        add(),
      ],
      1,
      { moved: [4, 4, 2], writes: [4, 4, 2] },
    ],
    ["very many of one", [repeat(300), add()], 1, {
      ...{ sliceSize: 128, moved: [128, 128, 44], writes: [128, 128, 44] },
    }],
    ["few of one, and room for four", [repeat(3), add()], 4, {
      ...{ room: 4, moved: [3, 3], writes: [3, 3] },
    }],
    ["few of one, and room for four, and some may wait", [repeat(3), add()], 4, {
      ...{ room: 4, maxQueued: 4, moved: [3, 3, 3], writes: [3, 3] },
    }],
  ] as [string, unknown[], number, { moved: number[]; writes: number[] } & Options][]
) {
  test(`the turn hears after each step how many chunks walked: ${what}`, () => {
    const { engine, ...seen } = engineOf(stages, range(count), options);
    assertEquals(engine.run(), false);
    assertEquals([seen.moved, seen.writes], [moved, writes]);
  });
}

test("a run ends when the turn is over, says so, and goes on from there", () => {
  const { engine, out, ends, endings } = engineOf([add()], range(4), { overAt: 2 });
  assertEquals([engine.run(), out, ends.taken], [true, [1, 2], 2]);
  assertEquals([engine.run(), out, ends.taken], [false, [1, 2, 3, 4], 4]);
  void engine.end();
  assertEquals(endings, [{ failed: false }]);
});

test("nothing is taken without room, but for what may wait", () => {
  for (const maxQueued of [0, 1]) {
    const { engine, out, ends } = engineOf([{}, {}], range(9), { room: 2, maxQueued });
    engine.run();
    assertEquals([out, ends.taken], [[0, 1], 2 + maxQueued]);
    engine.run();
    assertEquals(ends.taken, 2 + maxQueued);
    ends.room = 3;
    engine.run();
    assertEquals([out, ends.taken], [range(5), 5 + maxQueued]);
  }
});
