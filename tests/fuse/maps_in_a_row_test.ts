import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { compose, flatMap, map, pipeline } from "@hosepipe/streams";
import { turns } from "../lib/turns.ts";

const mapCount = 19;
const chunkCount = 300;
const numbers = () => Array.from({ length: chunkCount }, (_, index) => index);

/** Maps that note the index they are called with; `answer` says what the one at `place` gives. */
function noteIndices(
  answer: (chunk: number, index: number, place: number) => number | Promise<number>,
): { indices: number[][]; stages: Transformer<number, number>[] } {
  const indices = Array.from({ length: mapCount }, (): number[] => []);
  const stages = indices.map((seen, place) =>
    map((chunk: number, index: number) => {
      seen.push(index);
      return answer(chunk, index, place);
    })
  );
  return { indices, stages };
}

/** Runs the stages over slices of many chunks. */
async function run(stages: readonly Transformer[], signal?: AbortSignal): Promise<unknown[]> {
  const written: unknown[] = [];
  await pipeline(
    [numbers()],
    flatMap((chunks: number[]) => chunks),
    compose(stages),
    (chunk: unknown) => void written.push(chunk),
    { signal },
  );
  return written;
}

test("maps in a row are each called with every index, in order", async () => {
  const { indices, stages } = noteIndices((chunk) => chunk + 1);
  assertEquals(await run(stages), numbers().map((chunk) => chunk + mapCount));
  for (const seen of indices) assertEquals(seen, numbers());
});

for (const place of [0, 3, 7, 8, 15, 18]) {
  test(`a promise of map ${place} in a row keeps indices and order`, async () => {
    const { indices, stages } = noteIndices((chunk, index, at) =>
      at === place && index % 7 === 3 ? Promise.resolve(chunk + 1) : chunk + 1
    );
    assertEquals(await run(stages), numbers().map((chunk) => chunk + mapCount));
    for (const seen of indices) assertEquals(seen, numbers());
  });

  test(`what map ${place} in a row throws comes after the chunks before it`, async () => {
    const written: number[] = [];
    const { indices, stages } = noteIndices((chunk, index, at) => {
      if (at === place && index === 100) throw undefined;
      return chunk;
    });
    const outcome = await pipeline(
      [numbers()],
      flatMap((chunks: number[]) => chunks),
      compose(stages),
      (chunk: number) => void written.push(chunk),
    ).then(() => "fulfilled", (reason) => reason);
    assertEquals(outcome, undefined);
    assertEquals(written, numbers().slice(0, 100));
    for (const seen of indices.slice(place + 1)) assertEquals(seen, numbers().slice(0, 100));
    assertEquals(indices[place], numbers().slice(0, 101));
  });
}

test("a map in a row that gives up the run and then fails is heard all the same", async () => {
  const controller = new AbortController();
  const { stages } = noteIndices((chunk, index, at) => {
    if (at !== 3 || index !== 200) return chunk;
    controller.abort("enough");
    return Promise.reject(new Error("nobody would hear of this"));
  });
  // What nobody heard would fail the test.
  assertEquals(await run(stages, controller.signal).catch((reason) => reason), "enough");
  await new Promise((resolve) => setTimeout(resolve, 5));
});

test("maps in a row read no further than one by one when the stage after them waits", async () => {
  const counts = [mapCount, 3].map(async (count) => {
    const controller = new AbortController();
    let reads = 0;
    function* source() {
      while (reads < 1000) yield reads++;
    }
    const hang = map((_: number) => new Promise<number>(() => {}));
    const stages: Transformer[] = Array.from(
      { length: count },
      () => map((chunk: number) => chunk),
    );
    const { signal } = controller;
    const run = pipeline(source(), compose(stages), hang, () => {}, { signal });
    await turns(10);
    controller.abort();
    await run.catch(() => {});
    return { count, reads };
  });
  for (const { count, reads } of await Promise.all(counts)) {
    // One in flight, one before each stage.
    assertEquals(reads <= count + 2, true, `${reads} chunks were read for ${count} maps`);
  }
});
