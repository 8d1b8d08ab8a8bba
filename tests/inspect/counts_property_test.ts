import { assertEquals } from "@std/assert";
import { test } from "node:test";
import {
  filter,
  flatMap,
  fuse,
  map,
  parallel,
  pipeline,
  scan,
  takeWhile,
  tap,
  toArray,
} from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";

type Stage = Transformer<number, number>;
type Random = () => number;

/** Stages whose function is called once with each chunk. */
const makers: readonly ((call: (n: number) => void, random: Random) => Stage)[] = [
  (call) => map((n: number) => (call(n), n + 1)),
  (call) => filter((n: number) => (call(n), n % 3 !== 0)),
  (call, random) => {
    const copies = Math.floor(random() * 4);
    return flatMap((n: number) => (call(n), Array<number>(copies).fill(n)));
  },
  (call) => tap((n: number) => call(n)),
  (call) => scan((sum: number, n: number) => (call(n), sum + n), 0),
  (call, random) => {
    const concurrency = 1 + Math.floor(random() * 3);
    return parallel((n: number) => (call(n), Promise.resolve(n)), { concurrency });
  },
  (call, random) => {
    const last = Math.floor(random() * 20);
    return takeWhile((n: number) => (call(n), n < last));
  },
  (call) => ({
    transform(n, controller) {
      call(n);
      if (n % 2 === 0) controller.enqueue(n);
      controller.enqueue(n);
    },
  }),
  (call) => ({
    async transform(n, controller) {
      call(n);
      await undefined;
      controller.enqueue(n);
    },
  }),
];

type Look = ReturnType<typeof probe>;

/** Runs a program with each part probed; `calls` says that a function was called with a chunk. */
const ways: Readonly<
  Record<
    string,
    (
      look: Look,
      source: Iterable<number>,
      stages: Stage[],
      write: () => unknown,
    ) => Promise<unknown>
  >
> = {
  pipeline: (look, source, stages, write) =>
    pipeline(
      look.reader(source),
      ...(stages.map((stage, index) => look.transformer(stage, { name: `${index}` })) as [Stage]),
      look.writer(write),
    ),
  toArray: (look, source, stages, write) =>
    toArray(
      look.reader(source),
      ...(stages.map((stage, index) => look.transformer(stage, { name: `${index}` })) as [Stage]),
      tap(write),
    ),
  fuse: (look, source, stages, write) =>
    ReadableStream.from(look.reader(source))
      .pipeThrough(
        fuse(
          ...(stages.map((stage, index) => look.transformer(stage, { name: `${index}` })) as [
            Stage,
          ]),
        ),
      )
      .pipeTo(new WritableStream(look.writer({ write: () => write() as void }))),
  native: (look, source, stages, write) =>
    stages.reduce(
      (readable, stage, index) =>
        readable.pipeThrough(new TransformStream(look.transformer(stage, { name: `${index}` }))),
      ReadableStream.from(look.reader(source)) as ReadableStream<number>,
    ).pipeTo(new WritableStream(look.writer({ write: () => write() as void }))),
};

const programs = 200;

for (const [way, run] of Object.entries(ways)) {
  test(`${way}: what a probe counts is what the functions saw, in ${programs} random programs`, async () => {
    for (let seed = 1; seed <= programs; seed++) {
      const random = seededRandom(seed);
      const chunkCount = Math.floor(random() * 30);
      const stageCount = 1 + Math.floor(random() * 4);
      const seen = { read: 0, taken: Array<number>(stageCount).fill(0), written: 0 };
      const failsAt = random() < 0.2 ? Math.floor(random() * 20) : Infinity;
      let next = 0;
      // Counted as it is taken: a stream that is cancelled meanwhile leaves what it has asked for.
      const source: Iterable<number> = {
        [Symbol.iterator]: () => ({
          next: () => {
            const value = next++;
            if (value >= chunkCount) return { done: true, value: undefined };
            return {
              done: false,
              get value() {
                seen.read++;
                return value;
              },
            };
          },
        }),
      };
      const stages = Array.from({ length: stageCount }, (_, index) => {
        const make = makers[Math.floor(random() * makers.length)]!;
        return make(() => {
          if (++seen.taken[index]! > failsAt) throw new Error("boom");
        }, random);
      });
      const isLate = random() < 0.5;
      const look = probe({ capacity: 100_000 });
      await run(look, source, stages, () => {
        seen.written++;
        return isLate ? Promise.resolve() : undefined;
      }).catch(() => {});

      const count = (event: string, stage?: string) =>
        look.events().filter((one) => one.event === event && (stage ?? one.stage) === one.stage)
          .length;
      const counted = {
        read: count("read"),
        taken: seen.taken.map((_, index) => count("transform", `${index}`)),
        written: way === "toArray" ? seen.written : count("written"),
      };
      assertEquals(counted, seen, `seed ${seed}`);
      if (way !== "toArray") assertEquals(look.occupancy().written, seen.written, `seed ${seed}`);
    }
  });
}
