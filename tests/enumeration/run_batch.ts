import process from "node:process";
import type { Implementation } from "./implementations.ts";
import { runFuse } from "./run_fuse.ts";
import { runPipeline } from "./run_pipeline.ts";
import { type Scene, sceneOf } from "./scene.ts";
import type { Choice, Schedule } from "./schedule.ts";

/** One run, as far as it can be judged. */
export interface Run {
  readonly log: readonly string[];
  readonly choices: readonly Choice[];
  /** Whether an assertion of the implementation failed: what it does then is not what the standard says. */
  readonly hasTripped: boolean;
}

/** A write while a close goes on rejects: the reference's assertion in there is one too many (whatwg/streams#1218). */
const lateWrite = /^(writer: write \d+ !) Error$/;

function runOne(schedule: Schedule, { makePair, piping }: Implementation): Promise<Scene> {
  return schedule.way === "fuse" ? runFuse(schedule, makePair) : runPipeline(schedule, piping);
}

/** Runs all at a time. */
async function runTogether(
  schedules: readonly Schedule[],
  implementation: Implementation,
): Promise<Scene[]> {
  const { setTimeout } = globalThis;
  // The reference throws some of its assertions there; nothing here has a timer.
  globalThis.setTimeout = (() => {}) as unknown as typeof setTimeout;
  const onUnhandled = (reason: unknown) => {
    const scene = sceneOf(reason);
    scene?.say(`unhandled: ${scene.show(reason)}`);
  };
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", onUnhandled);
  try {
    const scenes = await Promise.all(
      schedules.map((schedule) => runOne(schedule, implementation)),
    );
    // What is left unhandled shows a turn later.
    for (let turn = 0; turn < 2; turn++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    return scenes;
  } finally {
    globalThis.setTimeout = setTimeout;
    process.off("unhandledRejection", onUnhandled);
    for (const other of others) process.on("unhandledRejection", other);
  }
}

/**
 * Runs some schedules, all at a time: each has promises of its own, so that none sees the others. If assertions failed
 * in some of them, they run again in halves, to see in which.
 */
export async function runBatch(
  schedules: readonly Schedule[],
  implementation: Implementation,
): Promise<Run[]> {
  const before = implementation.trips();
  const scenes = await runTogether(schedules, implementation);
  let trips = implementation.trips() - before;
  for (const { log } of scenes) {
    for (const [index, event] of log.entries()) {
      const late = trips > 0 && lateWrite.exec(event)?.[1];
      if (!late) continue;
      log[index] = `${late} TypeError`;
      trips--;
    }
  }
  if (trips === 0 || schedules.length === 1) {
    return scenes.map(({ log, choices, hasFault }) => ({
      log,
      choices,
      hasTripped: trips > 0 || hasFault,
    }));
  }
  const half = Math.ceil(schedules.length / 2);
  return [
    ...await runBatch(schedules.slice(0, half), implementation),
    ...await runBatch(schedules.slice(half), implementation),
  ];
}
