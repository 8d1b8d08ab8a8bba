import { test } from "node:test";
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ResultFile } from "../../../bench/results/result.ts";
import { highWaterMarkFinding } from "../../../scripts/documents/high_water_mark_finding.ts";
import { makeRow } from "../../bench/results/_make_row.ts";
import { reportResults } from "../fixtures/report_results.ts";

/** Rows of one API, whose medians `time` says by size and mark. */
function rowsOf(
  contestant: string,
  time: (chunkKiB: number, mark: string) => number,
  sizes: readonly number[] = [2, 16, 64],
) {
  return sizes.flatMap((chunkKiB) =>
    ["default", "low", "high"].map((highWaterMark) =>
      makeRow({
        workload: "memory_to_null",
        contestant,
        params: { chunkKiB, highWaterMark, amount: "200chunks", kind: "bytes", mode: "byte" },
        samples: [time(chunkKiB, highWaterMark)],
      })
    )
  );
}

function linesOf(rows: ResultFile["rows"]): string[] {
  return highWaterMarkFinding({ ...reportResults, rows }, "200chunks").split("\n")
    .filter((line) => /^\| \w+, /.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()).filter(Boolean).join(" | "));
}

test("the finding holds where small chunks are faster at every size, and large ones dearer", () => {
  const holds = rowsOf("node", (size, mark) => (mark === "low" ? 2 : 1) * (size === 64 ? 3 : 1));
  const fails = rowsOf("web", () => 1);
  const some = rowsOf("web_bytes", (size, mark) => mark === "low" && size === 2 ? 1.5 : 1);
  assertEquals(linesOf([...holds, ...fails, ...some]), [
    "web, node | same | same | same | does not hold | same | does not hold",
    "web_bytes, node | 1.50 | same | same | for some sizes | same | does not hold",
    "node, node | 2.00 | 2.00 | 2.00 | holds | 3.00 | holds",
  ]);
});

test("a bend is looked for at the default mark of node streams, whatever the largest chunk", () => {
  const rows = rowsOf("node", (size) => size === 64 ? 3 : 1, [32, 64, 512]);
  assertEquals(linesOf(rows), ["node, node | same | same | same | does not hold | 3.00 | holds"]);
});

test("nothing is said of what was not measured", () => {
  assertStringIncludes(
    highWaterMarkFinding({ ...reportResults, rows: [] }, "1GiB"),
    "Not measured",
  );
  const [only] = rowsOf("node", () => 1);
  assertEquals(linesOf([only!]), ["node, node | – | – | – | –"]);
});
