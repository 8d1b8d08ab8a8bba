import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { duels } from "../../../scripts/report/peer_wins.ts";
import { peerSection } from "../../../scripts/report/peer_section.ts";
import { makeRow } from "../../bench/results/_make_row.ts";

const row = (contestant: string, ms: number, passes = 0) =>
  makeRow({ contestant, params: { passes }, samples: [ms * 0.99, ms, ms * 1.01] });

test("the fastest of ours meets the fastest of the others; floor and limit stay out", () => {
  const rows = [
    ...[row("hand", 1), row("noop", 0.1), row("web", 90), row("node", 50)],
    ...[row("pipeline", 40), row("fuse", 60)],
  ];
  const [duel, ...more] = duels(rows);
  assertEquals(more, []);
  assertEquals(
    [duel!.ours.contestant, duel!.peer.contestant, duel!.winner],
    ["pipeline", "node", "ours"],
  );
});

test("a peer wins only if the quartiles are apart", () => {
  const winner = (peerMs: number) => duels([row("fuse", 100), row("node", peerMs)])[0]!.winner;
  assertEquals([winner(80), winner(99.9), winner(100), winner(120)], [
    ...["peer", "even", "even", "ours"],
  ]);
});

test("jobs, parameters and runtimes are not mixed; a job without rival is no duel", () => {
  const rows = [row("pipeline", 10, 0), row("node", 5, 9), row("web", 20, 0)];
  assertEquals(duels(rows).map(({ peer }) => peer.contestant), ["web"]);
  assertEquals(duels([row("pipeline", 1), makeRow({ contestant: "web", runtime: "bun" })]), []);
});

test("without a defeat, or without a rival, there is a sentence and no table", () => {
  const won = peerSection([row("pipeline", 1), row("web", 9)]).text;
  assertEquals([/peers win 0;/.test(won), won.includes("<table")], [true, false]);
  const { text } = peerSection([row("web", 9)]);
  assertEquals([text.includes("nothing to compare"), text.includes("<table")], [true, false]);
});

test("defeats are listed, the clearest first, and the sum says the rest", () => {
  const rows = [
    ...[row("pipeline", 10, 0), row("node", 9, 0), row("pipeline", 10, 1), row("node", 2, 1)],
    ...[row("pipeline", 10, 2), row("node", 10, 2), row("pipeline", 10, 3), row("node", 50, 3)],
  ];
  const { text } = peerSection(rows);
  const [, summary, details] = text.split("<tbody>");
  assertEquals(summary!.match(/<td>[^<]+<\/td>/g), [
    ...["<td>2 of 4</td>", "<td>node</td>", "<td>5.00x</td>"],
  ]);
  assertEquals(details!.match(/<td>[\d.]+x<\/td>/g), ["<td>5.00x</td>", "<td>1.11x</td>"]);
  assertEquals(
    /Of (\d+)\s+duels,\s+peers win (\d+); (\d+) may be chance[^;]*; hosepipe wins\s+(\d+)/
      .exec(text)?.slice(1),
    ["4", "2", "1", "1"],
  );
});
