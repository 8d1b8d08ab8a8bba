import { checkDecoding } from "../../src/check_decoding.ts";
import { CsvSplitter } from "../../src/formats/csv_splitter.ts";
import type { DeadLetter, LoadRecord } from "./load_record.ts";

const maxRowLength = 2 ** 28;

/** How a file of CSV is to be read. */
export interface CsvRecordOptions {
  readonly delimiter: string;
  /** What stands for NULL where it is not quoted. */
  readonly nullText: string;
  readonly encoding: string;
  /** The columns that there are. Default: any. */
  readonly columns?: ReadonlySet<string>;
}

/**
 * Reads rows of CSV under a header. A field that is `nullText` without quotes is NULL.
 *
 * @throws {SyntaxError} If the bytes are no text of the encoding, the text is no CSV, or there is no
 * header, one that has a name twice, or no row under one that has a column which is unknown.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Uint8Array>,
  { delimiter, nullText, encoding, columns }: CsvRecordOptions,
): AsyncGenerator<(LoadRecord | DeadLetter)[], void> {
  let names: readonly string[] | undefined;
  let found: (LoadRecord | DeadLetter)[] = [];
  let hasRows = false;
  const fail = (line: number, message: string): never => {
    throw new SyntaxError(`Cannot parse CSV: line ${line}: ${message}`);
  };
  const splitter = new CsvSplitter({
    add(fields, line, quoted) {
      if (names === undefined) {
        const known = new Set<string>();
        const twice = fields.find((name) => known.size === known.add(name).size);
        if (twice !== undefined) fail(line, `the column ${JSON.stringify(twice)} is there twice`);
        names = fields;
        return;
      }
      hasRows = true;
      if (fields.length === names.length) {
        const isQuoted = new Set(quoted);
        found.push({
          ...{ line, names },
          fields: fields.map((text, at) => text === nullText && !isQuoted.has(at) ? null : text),
        });
      } else {
        const reason = `fields: ${fields.length}, columns: ${names.length}`;
        found.push({ line, reason, row: fields });
      }
    },
    report: (line, _column, message) => fail(line, message),
  }, {
    ...{ delimiter, quote: '"', maxFieldLength: Infinity, maxRowLength },
    decoding: checkDecoding("parse CSV", { encoding, fatal: true }),
  });
  for await (const chunk of chunks) {
    splitter.take(chunk);
    splitter.step(Infinity);
    splitter.keep();
    yield found;
    found = [];
  }
  splitter.finish();
  // Such as of a pipe whose left side died at once.
  if (names === undefined) fail(1, "there is no header");
  // All of a text in another encoding may be one line. Of rows it is said with each.
  const unknown = hasRows ? undefined : names!.find((name) => columns?.has(name) === false);
  if (unknown !== undefined) {
    fail(1, `there are no rows, and no column ${JSON.stringify(unknown.slice(0, 40))}`);
  }
  yield found;
}
