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

test("a sink's failure wins over a stage that enqueues after it, whenever the source answers", async () => {
  const failure = new Error("sink");
  for (const pullDelay of [0, 1, 2, 3, 5]) {
    for (const stageDelay of [0, 1, 3]) {
      for (const writeDelay of ["at once", 0, 1, 2, 4] as const) {
        for (const failsAt of [0, 1]) {
          for (const kind of ["stream", "function"] as const) {
            const cancelled: unknown[] = [];
            const source = new ReadableStream<number>({
              async pull(controller) {
                await microtasks(pullDelay);
                controller.enqueue(1);
              },
              cancel: (reason) => void cancelled.push(reason),
            }, { highWaterMark: 0 });
            const raw = {
              start(controller: Controller) {
                controller.enqueue(-2);
                controller.enqueue(-1);
              },
              async transform(chunk: number, controller: Controller) {
                await microtasks(stageDelay);
                controller.enqueue(chunk);
              },
            };
            let writes = 0;
            const write = () => {
              const fail = (): void => {
                if (failsAt === at) throw failure;
              };
              const at = writes++;
              return writeDelay === "at once" ? fail() : microtasks(writeDelay).then(fail);
            };
            const sink = kind === "stream" ? new WritableStream({ write }) : write;
            const title = `${kind} ${[pullDelay, stageDelay, writeDelay, failsAt]}`;
            assertEquals(
              await errorOf(pipeline(source, raw, sink as () => void)),
              [failure],
              title,
            );
            assertEquals(cancelled, [failure], title);
          }
        }
      }
    }
  }
});
