import { noopName } from "./noop_name.ts";

/** Loops and arrays without any stream: what a library is measured by, and no rival of it. */
const controls = new Set([noopName, "hand", "hand-streams", "step-list", "arrays"]);

/** Whether a contestant is a control. */
export function isControl(contestant: string): boolean {
  return controls.has(contestant);
}

/** This library's, whose names do not begin with what they call. */
const ours = new Set(["in-workers", "to-array", "for-await", "generator-stages"]);

/** Whether a contestant is one of this library's. */
export function isOurs(contestant: string): boolean {
  return ours.has(contestant) || /^(pipeline|fuse|hosepipe)/.test(contestant);
}
