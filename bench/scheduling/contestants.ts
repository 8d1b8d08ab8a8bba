import process from "node:process";
import type { ContestantEntry } from "../measure/workload.ts";

/** A way to have a function called later. */
export type Schedule = (task: () => void) => void;

/** A contestant of scheduling: so short that it stands in its entry. */
export interface SchedulingContestant extends ContestantEntry {
  readonly schedule: Schedule;
}

const resolved = Promise.resolve();

/** Every contestant of scheduling. */
export const contestants: readonly SchedulingContestant[] = [
  {
    name: "hand",
    about: "calls at once: the limit",
    schedule: (task) => task(),
  },
  {
    name: "microtask",
    about: "queueMicrotask",
    schedule: (task) => queueMicrotask(task),
  },
  {
    name: "promise",
    about: "then of a resolved promise",
    schedule: (task) => void resolved.then(task),
  },
  {
    name: "next_tick",
    about: "process.nextTick",
    schedule: (task) => process.nextTick(task),
  },
  {
    name: "immediate",
    about: "setImmediate",
    schedule: (task) => void setImmediate(task),
  },
  {
    name: "timeout",
    about: "setTimeout of 0 ms",
    schedule: (task) => void setTimeout(task, 0),
  },
];
