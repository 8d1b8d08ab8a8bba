import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { ResultFile } from "../../../bench/results/result.ts";
import { peerWinsTable } from "../../../scripts/documents/peer_wins_table.ts";
import { makeRow } from "../../bench/results/_make_row.ts";
import { reportResults } from "../fixtures/report_results.ts";

const results = (rows: ResultFile["rows"]): ResultFile => ({ ...reportResults, rows });

test("peerWinsTable names who is faster, how often and by how much", () => {
  const rows = [0, 100, 300].flatMap((passes) => [
    makeRow({ contestant: "pipeline", params: { passes }, samples: [20] }),
    makeRow({ contestant: "node", params: { passes }, samples: [passes === 300 ? 40 : 10] }),
    makeRow({ contestant: "web", params: { passes }, samples: [passes === 0 ? 5 : 50] }),
    makeRow({ contestant: "hand", params: { passes }, samples: [1] }),
    makeRow({ contestant: "hand-streams", params: { passes }, samples: [2] }),
  ]);
  assertEquals(
    peerWinsTable(results(rows)),
    [
      "Of 3 jobs, the fastest of the others wins 2; 0 are not settled.",
      "",
      "| job          |    faster | how often | by up to |",
      "| ------------ | --------: | --------: | -------: |",
      "| `copy`, node | node, web |    2 of 3 |    4.00x |",
    ].join("\n"),
  );
});

test("peerWinsTable has no table where nobody is faster", () => {
  const rows = [
    makeRow({ contestant: "pipeline", samples: [1] }),
    makeRow({ contestant: "node", samples: [2] }),
  ];
  assertEquals(
    peerWinsTable(results(rows)),
    "Of 1 jobs, the fastest of the others wins 0; 0 are not settled.",
  );
});
