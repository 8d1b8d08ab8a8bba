import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { scan } from "../../src/stages/scan.ts";
import { callTransform } from "../lib/call_transform.ts";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";

test("scan() emits each state, not the seed", async () => {
  assertEquals(await run([1, 2, 3], scan((sum: number, chunk: number) => sum + chunk, 10)), [
    11,
    13,
    16,
  ]);
  assertEquals(await run([], scan((sum: number) => sum, 10)), []);
});

test("scan() gives the index, and waits for promises", async () => {
  const stage = scan(
    (state: string, chunk: string, index) => Promise.resolve(`${state}${chunk}${index}`),
    "",
  );
  assertEquals(await run(["a", "b"], stage), ["a0", "a0b1"]);
});

test("scan() mixes promises and values", async () => {
  const stage = scan(
    (sum: number, chunk: number) => chunk % 2 ? Promise.resolve(sum + chunk) : sum + chunk,
    0,
  );
  assertEquals(await run([1, 2, 3, 4], stage), [1, 3, 6, 10]);
});

test("scan() takes undefined as a seed and a state", async () => {
  const states: unknown[] = [];
  await run([1, 2], scan((state: unknown) => void states.push(state), undefined));
  assertEquals(states, [undefined, undefined]);
});

test("scan() answers at once when its function does", () => {
  const stage = scan((sum: number, chunk: number) => sum + chunk, 1);
  assertEquals(callTransform(stage, 1), { result: undefined, enqueued: [2] });
});

test("scan() fails with what its function throws, undefined included", async () => {
  const broken = scan(() => {
    throw undefined;
  }, 0);
  assertEquals(await errorOf(run([1], broken)), [undefined]);
  assertEquals(await errorOf(run([1], scan(() => Promise.reject(undefined), 0))), [undefined]);
});

test("one scan() in two streams starts from the seed in each", async () => {
  const stage = scan((sum: number, chunk: number) => sum + chunk, 0);
  assertEquals(await Promise.all([run([1, 1], stage), run([5, 5], stage)]), [[1, 2], [5, 10]]);
});

test("scan() gives its function a signal that aborts when its own stream is cancelled", async () => {
  const signals: AbortSignal[] = [];
  const stage = scan((sum: number, chunk: number, _index, { signal }) => {
    signals.push(signal);
    return sum + chunk;
  }, 0);
  const readers = [1, 2].map((chunk) =>
    new ReadableStream<number>({ pull: (controller) => controller.enqueue(chunk) })
      .pipeThrough(new TransformStream(stage)).getReader()
  );
  for (const reader of readers) await reader.read();
  assertEquals(signals.some(({ aborted }) => aborted), false);
  await readers[0]!.cancel("why");
  assertEquals(signals.filter(({ aborted }) => aborted).length > 0, true);
  assertEquals(signals.filter(({ aborted }) => !aborted).length > 0, true);
  assertEquals(signals.find(({ aborted }) => aborted)!.reason, "why");
  await readers[1]!.cancel();
});

test("scan() refuses what is not a function", () => {
  const message = "Cannot create scan: fn must be a function, got an object";
  assertThrows(() => scan({} as never, 0), TypeError, message);
});

test("scan() makes its seed anew for each stream where it is given a function for it", async () => {
  let made = 0;
  const stage = scan((seen: Set<number>, n: number) => seen.add(n), {
    seed: () => {
      made++;
      return new Set<number>();
    },
  });
  const [first, second] = await Promise.all([run([1, 2], stage), run([3], stage)]);
  assertEquals([first!.at(-1), second!.at(-1)], [new Set([1, 2]), new Set([3])]);
  assertEquals(made, 2);
});

test("scan() takes an object that has more than a seed for the seed itself", async () => {
  const seed = { seed: () => 1, more: true };
  const states = await run([1], scan((state: object) => state, seed as object));
  assertEquals(states[0] === seed, true);
});

test("what makes the seed of scan() may fail the stream", async () => {
  const stage = scan((state: number) => state, {
    seed: () => {
      throw undefined;
    },
  });
  assertEquals(await errorOf(run([1], stage)), [undefined]);
});

test("scan() without a seed takes the first chunk, as Array.prototype.reduce does", async () => {
  const calls: unknown[] = [];
  const stage = scan((sum: number, n: number, index) => {
    calls.push([sum, n, index]);
    return sum + n;
  });
  assertEquals(await run([1, 2, 3], stage), [1, 3, 6]);
  assertEquals(calls, [[1, 2, 1], [3, 3, 2]]);
  assertEquals(await run([undefined, 1], scan((_, n) => n)), [undefined, 1]);
  assertEquals(await run([], stage), []);
  assertEquals(await Promise.all([run([1, 1], stage), run([5, 5], stage)]), [[1, 2], [5, 10]]);
});
