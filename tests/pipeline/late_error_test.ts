import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { batch, map, pipeline } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { microtasks } from "../lib/microtasks.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";

type Controller = TransformStreamDefaultController<number>;
const late = new Error("late");

/** Calls `error` in a microtask after the chunk `n`. */
function errorsAfter(n: number) {
  return {
    transform(chunk: number, controller: Controller) {
      controller.enqueue(chunk);
      if (chunk === n) queueMicrotask(() => controller.error(late));
    },
  };
}

const pass = () => map((n: number) => n);

test("an error after the last chunk, in a microtask, is too late for pipeline, and loses nothing", async () => {
  const written: number[][] = [];
  const sink = (chunks: number[]): void => void written.push(chunks);
  // On a busy machine the run would give the event loop its turn, and the error would be in time.
  const run = () => errorOf(pipeline([1], pass(), errorsAfter(1), batch(2), sink));
  assertEquals(await withStoppedClock(run), "none");
  assertEquals(written, [[1]]);
});

test("an error in a microtask while chunks are still to come fails a pipeline", async () => {
  const chunks = async function* () {
    yield 1;
    await microtasks(10);
    yield 2;
  };
  assertEquals(await errorOf(pipeline(chunks(), pass(), errorsAfter(1), batch(2), () => {})), [
    late,
  ]);
});
