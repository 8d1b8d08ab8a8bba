import type { RunPlace } from "../../src/engine/run_failure.ts";

/** The place in a call of what a test makes without one. */
export const noPlace: RunPlace = { call: { action: "test", stages: [] }, from: 0 };
