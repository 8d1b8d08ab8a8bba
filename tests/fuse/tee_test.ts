import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { fuse } from "@hosepipe/streams";
import { microtasks } from "../lib/microtasks.ts";

/** A chain of three chunks, whose readable side is a tee's, and which fails at one of them. */
interface Program {
  readonly failsAt: number;
  readonly how: "throw" | "error" | "source";
  /** How many microtasks the stage takes for each chunk, and the source. */
  readonly transformFor: number;
  readonly pullFor: number;
  readonly highWaterMark: number;
  /** How many microtasks the second half rests after each chunk; the first reads at once. */
  readonly restsFor: number;
}

/** What one half gives: its chunks, and how it ends. */
async function readAll(half: ReadableStream<number>, restsFor: number): Promise<string[]> {
  const seen: string[] = [];
  try {
    for await (const chunk of half) {
      seen.push(`${chunk}`);
      if (restsFor > 0) await microtasks(restsFor);
    }
    return [...seen, "end"];
  } catch (reason) {
    return [...seen, `${reason}`];
  }
}

function run(program: Program, isFused: boolean): Promise<string[][]> {
  const { failsAt, how, transformFor, pullFor, highWaterMark, restsFor } = program;
  let next = 0;
  const source = new ReadableStream<number>({
    async pull(controller) {
      if (pullFor > 0) await microtasks(pullFor);
      if (how === "source" && next === failsAt) controller.error("failure");
      else if (next === 3) controller.close();
      else controller.enqueue(next++);
    },
  }, { highWaterMark: 0 });
  const first: Transformer<number, number> = {
    async transform(chunk, controller) {
      if (transformFor > 0) await microtasks(transformFor);
      controller.enqueue(chunk);
    },
  };
  const stage: Transformer<number, number> = {
    async transform(chunk, controller) {
      if (transformFor > 0) await microtasks(transformFor);
      if (chunk === failsAt && how === "throw") throw "failure";
      controller.enqueue(chunk);
      if (chunk === failsAt && how === "error") controller.error("failure");
    },
  };
  const readableStrategy = { highWaterMark };
  const chain = isFused
    ? source.pipeThrough(fuse(first, stage, { readableStrategy }))
    : source.pipeThrough(new TransformStream(first))
      .pipeThrough(new TransformStream(stage, undefined, readableStrategy));
  const [one, other] = chain.tee();
  return Promise.all([readAll(one, 0), readAll(other, restsFor)]);
}

test("a tee of a fused chain that fails: the half that keeps up gets what it gets natively, a slower one may drop what it queues, as natively", async () => {
  let dropped = 0;
  const programs = [0, 1, 2].flatMap((failsAt) =>
    (["throw", "error", "source"] as const).flatMap((how) =>
      [0, 3].flatMap((transformFor) =>
        [0, 4].flatMap((pullFor) =>
          [0, 1, 2].flatMap((highWaterMark) =>
            [0, 1, 2, 3, 5, 8].map((restsFor): Program => ({
              failsAt,
              how,
              transformFor,
              pullFor,
              highWaterMark,
              restsFor,
            }))
          )
        )
      )
    )
  );
  for (const program of programs) {
    const label = JSON.stringify(program);
    const [native, ours] = [await run(program, false), await run(program, true)];
    assert(ours[0]!.length >= native[0]!.length, label);
    assertEquals(ours.map((half) => half.at(-1)), native.map((half) => half.at(-1)), label);
    if (ours[1]!.length >= native[1]!.length) continue;
    dropped++;
    // It is the half's own queue that drops them: natively that happens to a half that is a little slower.
    let happensNatively = false;
    for (let more = 1; more <= 24 && !happensNatively; more++) {
      const slower = await run({ ...program, restsFor: program.restsFor + more }, false);
      happensNatively = `${slower[1]}` === `${ours[1]}`;
    }
    assert(happensNatively, label);
  }
  // As the documentation says.
  assert(dropped > 0);
});
