import type { PreparedCase } from "./workload.ts";

/** The name of the row that shows what measuring itself costs. */
export const noopName = "noop";

/** An empty job: its time is the harness's own share in every other row. */
export const noop: PreparedCase = {
  run: async () => {},
  verify: () => Promise.resolve({ chunks: 0, bytes: 0, digest: "" }),
  dispose: () => Promise.resolve(),
};
