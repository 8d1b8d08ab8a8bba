import { test } from "node:test";
import { assertEquals, assertStrictEquals } from "@std/assert";
import { drop, filter, fuse, map, pipeline, take, tap } from "@hosepipe/streams";
import { range } from "../lib/range.ts";

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

/** What comes out of a chain between native ends. */
async function outOf(chunk: unknown, pair: ReadableWritablePair<unknown, unknown>) {
  let isGiven = false;
  const source = new ReadableStream({
    pull(controller) {
      if (isGiven) return controller.close();
      isGiven = true;
      controller.enqueue(chunk);
    },
  }, { highWaterMark: 0 });
  const chunks: unknown[] = [];
  const sink = new WritableStream({ write: (chunk) => void chunks.push(chunk) });
  await source.pipeThrough(pair).pipeTo(sink);
  return chunks;
}

function native(stages: readonly Stage[]): ReadableWritablePair<unknown, unknown> {
  const pairs = stages.map((stage) => new TransformStream(stage));
  const readable = pairs.slice(1).reduce(
    (readable, pair) => readable.pipeThrough(pair),
    pairs[0]!.readable,
  );
  return { readable, writable: pairs[0]!.writable };
}

async function inPipeline(chunk: unknown, stages: readonly Stage[]) {
  let isGiven = false;
  const source = new ReadableStream({
    pull(controller) {
      if (isGiven) return controller.close();
      isGiven = true;
      controller.enqueue(chunk);
    },
  });
  const chunks: unknown[] = [];
  await pipeline(source, ...stages as [Stage], (chunk: unknown) => void chunks.push(chunk));
  return chunks;
}

for (const [what, chunk] of Object.entries(odd)) {
  test(`${what} is a chunk like any other, through stages that hand on`, async () => {
    for (const [name, make] of Object.entries(passing)) {
      for (const length of [1, 2, 9]) {
        const stages = () => range(length).map(() => make());
        const results = {
          native: await outOf(chunk, native(stages())),
          fuse: await outOf(chunk, fuse(...stages() as [Stage])),
          pipeline: await inPipeline(chunk, stages()),
        };
        for (const [way, chunks] of Object.entries(results)) {
          assertEquals(chunks.length, 1, `${name}, ${length}, ${way}`);
          assertStrictEquals(chunks[0], chunk, `${name}, ${length}, ${way}`);
        }
      }
    }
  });
}

for (const count of [1, 7, 8, 9, 16, 17]) {
  test(`${count} maps give a function the very chunk, and await only what it returns`, async () => {
    for (const way of ["native", "fuse", "pipeline"] as const) {
      const run = (chunk: unknown, stages: Stage[]) =>
        way === "native"
          ? outOf(chunk, native(stages))
          : way === "fuse"
          ? outOf(chunk, fuse(...stages as [Stage]))
          : inPipeline(chunk, stages);
      for (const [what, chunk] of Object.entries(odd)) {
        const given: unknown[] = [];
        const boxed = range(count).map((n) =>
          map((chunk: unknown) => {
            given.push(n === 0 ? chunk : (chunk as [unknown])[0]);
            return n === 0 ? [chunk] : chunk;
          }) as Stage
        );
        const [result] = await run(chunk, boxed);
        assertStrictEquals((result as unknown[])[0], chunk, `${what}, ${way}`);
        for (const one of given) assertStrictEquals(one, chunk, `${what}, ${way}`);
      }
      const awaited = range(count).map((n) =>
        map((chunk: number) => n % 3 === 0 ? Promise.resolve(chunk + 1) : chunk + 1) as Stage
      );
      assertEquals(await run(0, awaited), [count], way);
    }
  });
}
