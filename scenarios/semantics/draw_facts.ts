import { drawBuffer } from "../demo/render/hose_state.ts";
import type { Measured } from "./measured.ts";
import { factReader, type ReadFact } from "./summarize.ts";

const names = ["readerOut", "transformerIn", "transformerOut", "writerIn"];
const columns = ["R out", "T in", "T out", "W in"];

/** The buffers at standstill, one line for each API, under their names. */
function drawBuffers(read: ReadFact, probe: string, mark: number): string {
  const shown = probe === "no-writer" ? 3 : 4;
  const lines = ["web", "node"].map((api) => {
    const row = `${mark} ${api}`;
    const buffers = columns.slice(0, shown).map((column) => {
      const held = column === "W in" ? Number(read(probe, row, "writing")) : 0;
      return drawBuffer(Number(read(probe, row, column)), held, mark);
    });
    return [api, ...buffers];
  });
  return alignRows([["", ...names.slice(0, shown)], ...lines]);
}

function alignRows(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd()
  ).join("\n");
}

/** What a source with a mark has pulled, before and after one read. */
function drawReadAhead(read: ReadFact): string {
  const rows = [["web", 5], ["web", 0], ["node", 5]] as const;
  return alignRows([
    ["", "highWaterMark", "before the first read", "after it"],
    ...rows.map(([api, mark]) => {
      const [before, after] = ["before", "after one"].map((column) =>
        Number(read("read-ahead", `${api} ${mark}`, column))
      );
      return [
        ...[api, String(mark)],
        `${drawBuffer(before!, 0, mark)} pulled ${before}`,
        `${drawBuffer(after! - 1, 0, mark)} pulled ${after}`,
      ];
    }),
  ]);
}

/** The chunks that four calls were answered about. */
function drawAnswers(measured: readonly Measured[]): string {
  const { facts } = measured[0]!;
  const { "R web": web, "R node": node } = facts["push"]!["2"]!;
  const [from, to] = String(web).split(" to ").map(Number);
  const sizes = Array.from({ length: from! - to! + 1 }, (_, index) => String(from! - index));
  const answers = String(node).split(", ").flatMap((part) => {
    const [count, answer] = part.split(" ");
    return Array.from({ length: Number(count) }, () => answer === "yes" ? "true" : "false");
  });
  return alignRows([
    ["", ...sizes.map((_, index) => drawBuffer(index + 1, 0, 2))],
    ["web   desiredSize", ...sizes],
    ["node  push()", ...answers],
  ]);
}

function drawResuming(measured: readonly Measured[]): string {
  const { facts } = measured[0]!;
  const dots = (api: string) => {
    const { "after writes": period, "at once": count } = facts["resume"]![`5 ${api}`]!;
    return Array.from(
      { length: 15 },
      (_, write) => (write + 1) % Number(period) === 0 ? "■".repeat(Number(count)) : "·",
    );
  };
  return alignRows([
    ["", "read after each of 15 writes"],
    ["web", dots("web").join(" ")],
    ["node", dots("node").join(" ")],
  ]);
}

function drawFill(read: ReadFact): string {
  const kinds = [
    ["web   16 chunks", "web chunks"],
    ["web   65,536 bytes by size", "web sized"],
    ["node  16 objects", "node obj."],
    ["node  65,536 bytes", "node bytes"],
  ] as const;
  return alignRows(kinds.map(([kind, column]) => {
    const count = Number(read("objects-bytes", "64-KiB chunks to fill", column));
    return [kind, `${"■".repeat(count)} ${count * 64} KiB`];
  }));
}

/**
 * Draws the facts that `summarize` says, in the same order; undefined where a table says more than a picture.
 *
 * @throws {Error} If the runtimes disagree about a figure that is drawn.
 */
export function drawFacts(measured: readonly Measured[]): (string | undefined)[] {
  const fact = factReader(measured);
  const read: ReadFact = (...place) => {
    const words = fact(...place);
    if (!/^-?\d+$/.test(words)) throw new Error(`Cannot draw ${place.join(" / ")}: ${words}`);
    return words;
  };
  return [
    undefined,
    drawReadAhead(read),
    drawBuffers(read, "no-writer", 5),
    drawBuffers(read, "stalled-writer", 5),
    drawBuffers(read, "batch", 4),
    drawResuming(measured),
    drawAnswers(measured),
    drawFill(read),
  ];
}
