import type { ResultFile, Row } from "../../../bench/results/result.ts";

/** A result file of such rows, as no machine ever gave it. */
export function makeResults(rows: readonly Row[], seed = 1): ResultFile {
  return {
    ...{ schema: 1, commit: null, dirty: false, startedAt: "2026-11-21T10:00:00.000Z" },
    ...{ elapsedMs: 1, seed, profile: "default", complete: true },
    machine: { cpu: "Abacus <script>", cores: 2, memoryGiB: 8, os: "Linux 6 x64" },
    rows: [...rows],
  };
}
