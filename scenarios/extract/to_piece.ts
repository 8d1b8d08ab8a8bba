import type { RowFormat } from "./formats/dialect.ts";
import type { Piece, RowBatch } from "./source.ts";

/** Gives what is made of each. */
export function* makeEach<From, Made>(
  all: Iterable<From>,
  make: (one: From) => Made,
): Generator<Made, void> {
  for (const one of all) yield make(one);
}

/** Makes text of rows. */
export function toPiece(format: RowFormat, { rows, bytes, at, key, isLarge }: RowBatch): Piece {
  return {
    text: isLarge ? format.parts(rows[0]!) : format.lines(rows),
    ...{ rows: rows.length, at, key, heldBytes: bytes },
  };
}
