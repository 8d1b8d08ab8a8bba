import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  compose,
  fuse,
  groupBy,
  lines,
  map,
  pipeline,
  stage,
  toArray,
  type Transformer,
} from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { range } from "../lib/range.ts";
import { reasons } from "../lib/reasons.ts";
import { turns } from "../lib/turns.ts";

type Numbers = Transformer<number, number>;

const adding = (n: number): Numbers => map((chunk: number) => chunk + n);
const pairOf = (stage: Numbers) => new TransformStream(stage);
const zipped = (text: string) =>
  new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));

/** A pair that notes how it ends. */
function notedPair(notes: unknown[], name: string) {
  return new TransformStream<number, number>({
    flush: () => void notes.push(`${name} flush`),
    cancel: (reason: unknown) => void notes.push(`${name} ${reason}`),
  });
}

test("a composition with a pair of streams runs in pipeline and fuse", async () => {
  const unzipped = () => compose(new DecompressionStream("gzip"), lines());
  assertEquals(await toArray(zipped("a\nb"), unzipped()), ["a", "b"]);
  const fused = zipped("a\nb").pipeThrough(fuse(unzipped()));
  assertEquals(await Array.fromAsync(fused), ["a", "b"]);
  const named = compose(compose(adding(1), pairOf(adding(10))), compose(adding(100)));
  assertEquals(await toArray([1], adding(1000), named, adding(1)), [1113]);
});

test("a part that makes a pair can be used again; a pair serves one run", async () => {
  const again = compose(adding(1), () => pairOf(adding(10)));
  for (const _ of range(3)) {
    assertEquals(await toArray([1], again), [12]);
    assertEquals(await Array.fromAsync(from([1]).pipeThrough(fuse(again))), [12]);
    assertEquals(await toArray([1], () => pairOf(adding(10)), adding(1)), [12]);
  }
  const once = compose(adding(1), pairOf(adding(10)));
  assertEquals(await toArray([1], once), [12]);
  const used = "stage 1 is a pair";
  assert(`${await errorOf(toArray([1], once))}`.includes(used));
  assertThrows(() => fuse(once), TypeError, used);
  const fusedOnce = pairOf(adding(1));
  fuse(fusedOnce);
  assertThrows(
    () => fuse(fusedOnce),
    TypeError,
    "Cannot fuse: stage 1 is a pair that was used before",
  );
  const twice = pairOf(adding(1));
  assertThrows(() => fuse(twice, twice), TypeError, "stage 2 is a pair that was used before");
  assertThrows(() => fuse(compose(adding(1), twice), twice), TypeError, "stage 2 is a pair");
  assert(!twice.writable.locked && !twice.readable.locked);
});

test("fuse() of pairs alone, first and last gives a pair; strategies count at the ends", async () => {
  assertEquals(await Array.fromAsync(from([1]).pipeThrough(fuse(pairOf(adding(1))))), [2]);
  const { readable, writable } = fuse(pairOf(adding(1)), () => pairOf(adding(10)), {
    writableStrategy: { highWaterMark: 7 },
    readableStrategy: { highWaterMark: 5 },
  });
  const writer = writable.getWriter();
  assertEquals(writer.desiredSize, 7);
  const written = Promise.all([writer.write(1), writer.close()]);
  assertEquals(await Array.fromAsync(readable), [12]);
  await written;
});

test("a function that makes a pair is called once all arguments are right", async () => {
  let made = 0;
  const make = () => {
    made++;
    return pairOf(adding(1));
  };
  assertThrows(() => fuse(make, 5 as never), TypeError, "stage 2 is 5, not a stage");
  assertThrows(() => fuse(make, map as never), TypeError, "stage 2 is a function; wrap it");
  const locked = new ReadableStream<number>();
  locked.getReader();
  const wrong = [
    pipeline([1], make, compose(make), 5 as never),
    pipeline(5 as never, make, () => {}),
    pipeline(locked, make, () => {}),
    pipeline([1], make, () => {}, { signals: 1 } as never),
  ];
  for (const run of wrong) assert((await errorOf(run))[0] instanceof TypeError);
  assertEquals(made, 0);
});

test("pairs that were made are aborted where a later one fails", async () => {
  for (const { reason } of reasons) {
    const notes: unknown[] = [];
    const made = () => notedPair(notes, "made");
    const given = notedPair(notes, "given");
    const failing = (): TransformStream<number, number> => {
      throw reason;
    };
    const source = countedSource();
    const run = pipeline(
      source.readable as ReadableStream<number>,
      made,
      given,
      failing,
      () => {},
    );
    assertEquals(await errorOf(run), [reason]);
    await turns(1);
    assertEquals(notes, [`made ${reason}`]);
    assertEquals([source.readCount, source.readable.locked], [0, false]);

    let thrown: unknown = "nothing";
    try {
      fuse(compose(made), failing);
    } catch (error) {
      thrown = error;
    }
    assertEquals(thrown, reason);
    await turns(1);
    assertEquals(notes, [`made ${reason}`, `made ${reason}`]);
  }
  const notes: unknown[] = [];
  const wrong = () => 5 as unknown as TransformStream<number, number>;
  assertThrows(
    () => fuse(() => notedPair(notes, "made"), adding(1), wrong),
    TypeError,
    "Cannot fuse: stage 3 is a function that made no pair of streams; wrap it, as in map(fn)",
  );
  await turns(1);
  assertEquals(notes.length, 1);
});

test("fuse() aborts the pairs where a stage's start throws", async () => {
  const notes: unknown[] = [];
  const reason = new Error("no start");
  const starting = stage<number, number>({
    start() {
      throw reason;
    },
  });
  assertThrows(() => fuse(adding(1), () => notedPair(notes, "pair"), starting), Error, "no start");
  await turns(1);
  assertEquals(notes, [`pair ${reason}`]);
});

test("a composition with a pair is refused by new TransformStream(), with advice, and by probes", () => {
  for (const part of [pairOf(adding(1)), () => pairOf(adding(1))]) {
    const composed = compose(adding(1), part as TransformStream<number, number>);
    assertThrows(
      () => new TransformStream(composed),
      TypeError,
      "part 2 is a pair of streams; use pipeThrough(fuse(stage))",
    );
    assertThrows(() => probe().transformer(composed), TypeError, "the stage has a pair of streams");
  }
});

test("a composition with a pair can be a group's chain", async () => {
  const out = await toArray(
    range(4),
    groupBy((n: number) => n % 2, (key) => compose(() => pairOf(adding(10 * key)), adding(1))),
  );
  assertEquals(out.sort((a, b) => a - b), [1, 3, 12, 14]);
});

test("a pair among fused stages fails and is cancelled as in a native chain", async () => {
  const failure = new Error("in the pair");
  const failing = pairOf(map((n: number) => {
    if (n === 3) throw failure;
    return n;
  }));
  const source = countedSource();
  const readable = (source.readable as ReadableStream<number>)
    .pipeThrough(fuse(adding(0), failing, adding(0)));
  const seen: number[] = [];
  const given = await errorOf((async () => {
    for await (const n of readable) seen.push(n);
  })());
  await turns(1);
  assertEquals([given, source.cancelReasons], [[failure], [failure]]);

  const notes: unknown[] = [];
  const other = countedSource();
  const reader = (other.readable as ReadableStream<number>)
    .pipeThrough(fuse(adding(0), notedPair(notes, "pair"), adding(0))).getReader();
  assertEquals((await reader.read()).value, 0);
  await reader.cancel("enough");
  await turns(2);
  assertEquals([notes, other.cancelReasons], [["pair enough"], ["enough"]]);
});
