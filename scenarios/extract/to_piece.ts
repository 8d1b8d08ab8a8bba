import type { RowFormat } from "./formats/row_format.ts";
import type { Piece } from "./piece.ts";
import type { RowBatch } from "./row_batch.ts";

/** Makes text of rows. */
export function toPiece(format: RowFormat, { rows, bytes, at, key, isLarge }: RowBatch): Piece {
  return {
    text: isLarge ? format.parts(rows[0]!) : format.lines(rows),
    ...{ rows: rows.length, at, key, heldBytes: bytes },
  };
}
