import { test } from "node:test";
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { microtasks } from "../lib/microtasks.ts";
import { type Pick, tryAll } from "../lib/try_all.ts";
import { InPipeline } from "./writer_schedules/in_pipeline.ts";
import { Model, type Step } from "./writer_schedules/model.ts";
import { describe, Native } from "./writer_schedules/native.ts";
import { type Kind, kinds, pickKinds, type Plan } from "./writer_schedules/scene.ts";

const concurrencies = [1, 2, 3];
const releases: Plan["release"][] = ["absent", ...kinds];
/** Fewer schedules would mean that a choice is no longer offered. */
const fewest = 60;
/** A turn of the event loop: every microtask that one step led to is over. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Takes each step when all that the one before led to is over. */
async function compare(plan: Plan, pick: Pick, mostWrites: number): Promise<void> {
  const stream = new Native(plan);
  const model = new Model(plan);
  await turn();
  const done: Step[] = [];
  for (let steps; (steps = stream.nextSteps(mostWrites)).length > 0;) {
    const step = steps[pick(steps.length)]!;
    done.push(step);
    model.take(step);
    stream.take(step);
    await turn();
    const [actual, expected] = [stream.describe(), describe(model.calls, [...model.settled])];
    if (actual !== expected) assertEquals(actual, expected, JSON.stringify({ ...plan, done }));
  }
  assert(stream.isOver && model.isOver, JSON.stringify({ ...plan, done }));
}

const pauses = [0, 1, 3];

/** Takes steps in one go, too: what was first is not always known, but a success must be one. */
async function checkBurst(plan: Plan, pick: Pick, mostWrites: number): Promise<void> {
  const stream = new Native(plan);
  const done: Step[] = [];
  const pause = pauses[pick(pauses.length)]!;
  await turn();
  for (let steps; (steps = stream.nextSteps(mostWrites)).length > 0;) {
    const step = steps[pick(steps.length)]!;
    done.push(step);
    stream.take(step);
    await microtasks(pause);
    if (stream.nextSteps(mostWrites).length === 0) await turn();
  }
  const { scene, settled } = stream;
  try {
    assert(stream.isOver);
    const failure = settled.get("closed");
    scene.check(failure);
    if (scene.failures.length > 0 && stream.count("aborted") === 0) {
      assertEquals(failure, { error: scene.failures[0]!.error });
    }
    if (stream.count("closed by us") > 0 && settled.get("closed by us") === undefined) {
      scene.check(undefined);
    }
  } catch (error) {
    throw new Error(JSON.stringify({ ...plan, done }), { cause: error });
  }
}

/** Runs `pipeline`: its failure is the first one, whatever is slow. */
async function checkRun(plan: Plan, pick: Pick, mostChunks: number): Promise<void> {
  const run = new InPipeline(plan);
  let first: { readonly error: unknown } | undefined;
  await turn();
  for (let steps; (steps = run.nextSteps(mostChunks)).length > 0;) {
    const step = steps[pick(steps.length)]!;
    if (run.outcome === undefined) first ??= run.failureOf(step);
    run.take(step);
    await turn();
    // A sink fails when nothing is in flight and it has released, not when a call does.
    if (run.scene.pending.size === 0) first ??= run.scene.failures[0];
  }
  await turn();
  const { chunksWritten, done, outcome, scene } = run;
  try {
    if (outcome === undefined) throw new Error("it hangs");
    scene.check(outcome.failure);
    assertEquals(outcome.failure === undefined, first === undefined);
    const [earlier] = scene.failures;
    // What was handed over is written first, and fails first.
    const isOfWrite = run.count("fail") > 0 && earlier?.call.startsWith("write") &&
      outcome.failure?.error === earlier.error;
    if (!isOfWrite) assertEquals(outcome.failure?.error, first?.error);
    if (first === undefined) assertEquals(chunksWritten, run.count("chunk"));
  } catch (error) {
    throw new Error(JSON.stringify({ ...plan, done, outcome }), { cause: error });
  }
}

for (const concurrency of concurrencies) {
  for (const release of releases) {
    const name = `writer(), ${concurrency} at a time, release ${release}`;
    const quick = { close: ["now"], abort: ["now"], release: [release as Kind] } as const;
    const mostWrites = concurrency === 1 ? 2 : 3;

    test(`${name}: every schedule of writes goes as the model says`, async () => {
      const count = await tryAll((pick) =>
        compare({ concurrency, release, kindOf: pickKinds(pick, quick) }, pick, mostWrites)
      );
      assert(count >= fewest);
    });

    test(`${name}: every schedule of its end goes as the model says`, async () => {
      const ends = { write: ["later"], release: [release as Kind] } as const;
      const count = await tryAll((pick) =>
        compare({ concurrency, release, kindOf: pickKinds(pick, ends) }, pick, 2)
      );
      assert(count >= fewest);
    });

    test(`${name}: a success is one when steps come in one go, too`, async () => {
      const late = { ...quick, write: ["later", "throws"] } as const;
      const count = await tryAll((pick) =>
        checkBurst({ concurrency, release, kindOf: pickKinds(pick, late) }, pick, 2)
      );
      assert(count >= fewest);
    });

    test(`${name}: pipeline() into it fails with the first failure, and hangs in no schedule`, async () => {
      const count = await tryAll((pick) =>
        checkRun({ concurrency, release, kindOf: pickKinds(pick, quick) }, pick, 2)
      );
      assert(count >= fewest);
    });
  }
}
