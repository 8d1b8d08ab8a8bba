import type { Hose } from "../demo_event.ts";

/** Breaks pieces into lines of at most `columns`; a piece that is longer has a line of its own. */
function wrap(pieces: readonly string[], columns: number): string[] {
  const lines = [""];
  for (const piece of pieces) {
    const line = lines.at(-1)! + piece;
    if (line.length <= columns || lines.at(-1) === "") lines[lines.length - 1] = line;
    else lines.push(piece);
  }
  return lines;
}

/** The pieces of a buffer, between which a line may break. */
function buffer(messages: readonly string[]): string[] {
  return messages.length === 0 ? ["===="] : ["==", ...messages.map((id) => `${id}==`)];
}

function box(messages: readonly string[]): string {
  return `|${messages.length === 0 ? " " : messages.join(" ")}|`;
}

/**
 * Draws the hose with every message at its place, the oldest at the right: reader, its buffer, the transformer's
 * incoming one, transformer, its outgoing one, the writer's, writer. Wider than `columns`, it takes several lines.
 */
export function renderHose(hose: Hose, columns = Infinity): string[] {
  const pieces = [
    box(hose.reader),
    ...buffer(hose.readerOut),
    "|",
    ...buffer(hose.transformerIn),
    box(hose.transformer),
    ...buffer(hose.transformerOut),
    "|",
    ...buffer(hose.writerIn),
    box(hose.writer),
  ];
  return wrap(pieces, columns);
}
