import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { runJobs, type RunJobsOptions } from "../../../scripts/test/run_jobs.ts";
import { microtasks } from "../../lib/microtasks.ts";

/** A machine of two cores that is as busy as it is made, and looks when it is asked to. */
function makeMachine() {
  const machine = {
    cores: 2,
    idleShare: 1,
    isWatched: false,
    look: () => {},
    readIdleShare: () => machine.idleShare,
    watch(look: () => void) {
      machine.look = look;
      machine.isWatched = true;
      return () => void (machine.isWatched = false);
    },
  };
  return machine;
}

/** Runs that many jobs, each until it is ended by hand. */
function begin(count: number, options: Pick<RunJobsOptions, "atOnce" | "signal"> = {}) {
  const machine = makeMachine();
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const run = (job: number) => {
    started.push(job);
    return new Promise<void>((resolve) => ends[job] = resolve);
  };
  const jobs = Array.from({ length: count }, (_, index) => index);
  let isDone = false;
  const done = runJobs(jobs, run, { machine, ...options }).then(() => void (isDone = true));
  return { machine, started, ends, done, hasEnded: () => isDone };
}

test("a job for each core is started, in order, and the next as one ends", async () => {
  const { machine, started, ends, done } = begin(4);
  assertEquals(started, [0, 1]);
  ends[1]!();
  await microtasks(5);
  assertEquals(started, [0, 1, 2]);
  ends[0]!();
  ends[2]!();
  await microtasks(5);
  assertEquals(started, [0, 1, 2, 3]);
  ends[3]!();
  await done;
  assertEquals(machine.isWatched, false);
});

test("while the cores have time to spare one more is started at each look, up to six a core", () => {
  const { machine, started } = begin(20);
  machine.look();
  assertEquals(started.length, 3);
  machine.idleShare = 0.1;
  machine.look();
  assertEquals(started.length, 3);
  machine.idleShare = 0.5;
  for (let i = 0; i < 20; i++) machine.look();
  assertEquals(started.length, 12);
});

test("as many are run at once as is asked for, whatever the machine has", async () => {
  const { machine, started, ends, done } = begin(5, { atOnce: 3 });
  machine.idleShare = 0;
  assertEquals(started, [0, 1, 2]);
  ends[0]!();
  await microtasks(5);
  assertEquals(started, [0, 1, 2, 3]);
  for (const end of ends) end();
  await microtasks(5);
  ends[4]!();
  await done;
});

test("once the signal has aborted none is started, and those that run are waited for", async () => {
  const controller = new AbortController();
  const { machine, started, ends, done, hasEnded } = begin(4, { signal: controller.signal });
  controller.abort();
  machine.look();
  ends[0]!();
  await microtasks(5);
  assertEquals([started, hasEnded()], [[0, 1], false]);
  ends[1]!();
  await done;
});

test("without a job nothing is waited for", async () => {
  const { machine, done } = begin(0);
  await done;
  assertEquals(machine.isWatched, false);
});
