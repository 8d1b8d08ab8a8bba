import type { PreparedCase } from "./workload.ts";

/** An empty job: its time is the harness's own share in every other row. */
export const noop: PreparedCase = {
  run: async () => {},
  verify: () => Promise.resolve({ chunks: 0, bytes: 0, digest: "" }),
  dispose: () => Promise.resolve(),
};
