import type { RowFormat } from "./formats/dialect.ts";
import type { FormatOptions } from "./formats/format_options.ts";
import type { CursorOptions, LineOptions, Piece, RowBatch, RowSource } from "./source.ts";

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

async function* mapEachLater<From, Made>(all: AsyncIterable<From>, make: (one: From) => Made) {
  for await (const one of all) yield make(one);
}

/** Gives what is made of each, as soon as it is there. */
export function mapEach<From, Made>(
  all: Iterable<From> | AsyncIterable<From>,
  make: (one: From) => Made,
): Iterable<Made> | AsyncIterable<Made> {
  return Symbol.iterator in all ? makeEach(all, make) : mapEachLater(all, make);
}

/** Reads a part as lines of a format: by the source's shorter way, if it has one, or by the values of rows. */
export function readPieces(
  source: RowSource,
  format: RowFormat,
  formatOptions: FormatOptions,
  options: CursorOptions & LineOptions,
): Iterable<Piece> | AsyncIterable<Piece> {
  return source.readLines?.(formatOptions, options) ??
    mapEach(source.read(options), (batch) => toPiece(format, batch));
}
