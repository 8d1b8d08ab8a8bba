import { test } from "node:test";
import { assertEquals, assertStrictEquals } from "@std/assert";
import { compose, drop, filter, map, take, tap } from "@hosepipe/streams";
import { range } from "../lib/range.ts";
import { from } from "../lib/from.ts";
import { programWays, runProgram } from "../lib/programs.ts";

type Stage = Transformer<unknown, unknown>;

const never = new Promise(() => {});
const rejected = Promise.reject(new Error("nobody may look into a chunk"));
rejected.catch(() => {});

/** Values that an engine could be tempted to look into. */
const odd: Record<string, unknown> = {
  "a promise": Promise.resolve(1),
  "a promise that hangs": never,
  "a promise that was rejected": rejected,
  "a thenable": { then: (resolve: (value: unknown) => void) => resolve("looked into") },
  "a thenable that throws": {
    get then() {
      throw new Error("nobody may look into a chunk");
    },
  },
  "a proxy that throws": new Proxy({}, {
    get() {
      throw new Error("nobody may look into a chunk");
    },
    has() {
      throw new Error("nobody may look into a chunk");
    },
  }),
  "negative zero": -0,
  undefined: undefined,
  null: null,
  NaN: NaN,
  "a symbol": Symbol("odd"),
  "a well-known symbol": Symbol.iterator,
  "a function": () => 1,
  "an empty array": [],
  "a result": { done: true, value: 1 },
  "a frozen object": Object.freeze({}),
  "a chunk of another realm": Object.create(null),
};

/** Stages that hand a chunk on as it is, without giving it to a function that returns it. */
const passing: Record<string, () => Stage> = {
  "nothing": () => ({ transform: undefined }),
  raw: () => ({ transform: (chunk, controller) => controller.enqueue(chunk) }),
  filter: () => filter(() => true),
  "filter, several": () => filter(() => Promise.resolve(true), { concurrency: 2 }),
  tap: () => tap(() => {}),
  take: () => take(2),
  drop: () => drop(0),
};

async function outOf(way: string, chunk: unknown, stages: Stage[]): Promise<unknown[]> {
  const chunks: unknown[] = [];
  const write = (chunk: unknown) => void chunks.push(chunk);
  await runProgram(way, from([chunk]), compose(stages) as Stage, null, write);
  return chunks;
}

for (const [what, chunk] of Object.entries(odd)) {
  test(`${what} is a chunk like any other, through stages that hand on`, async () => {
    for (const [name, make] of Object.entries(passing)) {
      for (const length of [1, 2, 9]) {
        for (const way of programWays) {
          const chunks = await outOf(way, chunk, range(length).map(make));
          assertEquals(chunks.length, 1, `${name}, ${length}, ${way}`);
          assertStrictEquals(chunks[0], chunk, `${name}, ${length}, ${way}`);
        }
      }
    }
  });
}

for (const count of [1, 7, 17]) {
  test(`${count} maps give a function the very chunk, and await only what it returns`, async () => {
    for (const way of programWays) {
      for (const [what, chunk] of Object.entries(odd)) {
        const given: unknown[] = [];
        const boxed = range(count).map((n) =>
          map((chunk: unknown) => {
            given.push(n === 0 ? chunk : (chunk as [unknown])[0]);
            return n === 0 ? [chunk] : chunk;
          }) as Stage
        );
        const [result] = await outOf(way, chunk, boxed);
        for (const one of [...given, (result as unknown[])[0]]) {
          assertStrictEquals(one, chunk, `${what}, ${way}`);
        }
      }
      const awaited = range(count).map((n) =>
        map((chunk: number) => n % 3 === 0 ? Promise.resolve(chunk + 1) : chunk + 1) as Stage
      );
      assertEquals(await outOf(way, 0, awaited), [count], way);
    }
  });
}
