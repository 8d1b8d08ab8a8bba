import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { attempt, compose, fuse, map, parallel, pipeline } from "@hosepipe/streams";
import { type Probe, probe } from "@hosepipe/streams/inspect";
import type { Stage } from "../lib/operator.ts";
import { turns } from "../lib/turns.ts";
import { assertConserved } from "./_conservation.ts";

type Run = (
  source: ReadableStream<number>,
  stage: Stage,
  sink: WritableStream<unknown>,
) => Promise<unknown>;

const ways: Readonly<Record<string, Run>> = {
  pipeline: (source, stage, sink) => pipeline(source, stage, sink),
  fuse: (source, stage, sink) => source.pipeThrough(fuse(stage)).pipeTo(sink),
  native: (source, stage, sink) => source.pipeThrough(new TransformStream(stage)).pipeTo(sink),
};

/** A stage of which the call with the first chunk hangs until `release`; others answer at once. */
function hanging(ordered: boolean) {
  const gate = Promise.withResolvers<void>();
  const stage = parallel(
    (chunk: number) => chunk === 0 ? gate.promise.then(() => chunk) : chunk,
    ordered ? { concurrency: 2, window: 4 } : { concurrency: 2, ordered },
  );
  return { stage, release: gate.resolve };
}

async function run(way: Run, look: Probe, stage: unknown, release: () => void, length: number) {
  let read = 0;
  const source: UnderlyingDefaultSource<number> = {
    pull: (controller) => read < length ? controller.enqueue(read++) : controller.close(),
  };
  const got: unknown[] = [];
  const running = way(
    new ReadableStream(look.reader(source) as UnderlyingDefaultSource<number>),
    look.transformer(stage as Stage),
    new WritableStream(look.writer({ write: (chunk: unknown) => void got.push(chunk) })),
  );
  await turns();
  const { transforming } = look.events().at(-1)!.occupancy;
  release();
  await running;
  return { transforming, got };
}

for (const [name, way] of Object.entries(ways)) {
  test(`${name}: a probe counts calls in flight and results that wait, up to the window of parallel`, async () => {
    const look = probe();
    const { stage, release } = hanging(true);
    const { transforming, got } = await run(way, look, stage, release, 9);
    assertEquals([transforming, got], [4, [0, 1, 2, 3, 4, 5, 6, 7, 8]]);
    assertEquals(assertConserved(look.events()), 9);
  });

  test(`${name}: a probe counts the calls in flight of parallel without an order`, async () => {
    const look = probe();
    const { stage, release } = hanging(false);
    const { transforming, got } = await run(way, look, stage, release, 5);
    assertEquals([transforming, got.length], [1, 5]);
    assertEquals(assertConserved(look.events()), 5);
  });

  test(`${name}: a probe counts what parallel holds where attempt tries its calls again, and drops what that skips`, async () => {
    const look = probe();
    const gate = Promise.withResolvers<void>();
    const calls = parallel(async (chunk: number) => {
      if (chunk === 0) await gate.promise;
      if (chunk === 2) throw new Error("bad");
      return chunk;
    }, { concurrency: 2, window: 3 });
    const stage = attempt(calls, { attempts: 1, onError: () => "skip" });
    const { transforming, got } = await run(way, look, stage, gate.resolve, 6);
    assertEquals([transforming, got], [3, [0, 1, 3, 4, 5]]);
    assertEquals(look.events().at(-1)!.occupancy.transforming, 0);
  });
}

test("a probe counts what parallel holds within a composition", async () => {
  const look = probe();
  const { stage, release } = hanging(true);
  const composed = compose(map((chunk: number) => chunk), stage, map((chunk: number) => chunk));
  const { transforming, got } = await run(ways.pipeline!, look, composed, release, 9);
  // The first map has made one more meanwhile.
  assertEquals([transforming, got.length], [5, 9]);
  assertEquals(assertConserved(look.events()), 9);
});
