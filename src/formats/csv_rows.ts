import type { CsvColumns, CsvProblem } from "./parse_csv_options.ts";

type Row = string[] | Record<string, unknown>;

/** What becomes of a stream's rows. */
export interface CsvRowOptions {
  readonly header: boolean;
  readonly columns: CsvColumns | undefined;
  readonly maxColumns: number;
  /** Gets what is let pass; `undefined`: nothing is. */
  readonly onProblem: ((problem: CsvProblem) => void) | undefined;
}

/** Makes rows of the fields of one stream, and passes them on. */
export class CsvRows {
  readonly #controller: { enqueue(row: unknown): void };
  readonly #columns: readonly string[] | undefined;
  readonly #convert: readonly ((text: string) => unknown)[] | undefined;
  readonly #onProblem: ((problem: CsvProblem) => void) | undefined;
  readonly #maxColumns: number;
  #awaitsHeader: boolean;
  /** The fields that a row has. */
  #count: number | undefined;
  /** The names of what goes into a row, and which field each is. */
  #names: readonly string[] | undefined;
  #places: readonly number[] | undefined;
  /** Which of the names each of those fields has. */
  #indexOfPlace: ReadonlyMap<number, number> | undefined;
  /** A row to be copied: all have one shape, and `__proto__` is a column like any other. */
  #template: Record<string, unknown> = {};

  constructor(controller: { enqueue(row: unknown): void }, options: CsvRowOptions) {
    const { header, columns, onProblem } = options;
    this.#controller = controller;
    this.#onProblem = onProblem;
    this.#maxColumns = options.maxColumns;
    this.#awaitsHeader = header;
    if (columns === undefined) return;
    const isList = Array.isArray(columns);
    this.#columns = isList ? columns : Object.keys(columns);
    this.#convert = isList ? undefined : Object.values(columns);
    if (!header) this.#setNames(this.#columns!);
  }

  /** Fails the stream, unless what is wrong is let pass. */
  report(line: number, column: number, message: string): void {
    if (this.#onProblem === undefined) {
      throw new SyntaxError(`Cannot parse CSV: line ${line}, column ${column}: ${message}`);
    }
    this.#onProblem({ line, column, message });
  }

  /** Takes a row's fields, and the number of the line it ends in. */
  add(fields: string[], line: number): void {
    if (this.#awaitsHeader) {
      this.#awaitsHeader = false;
      return this.#takeHeader(fields, line);
    }
    const count = this.#count ??= fields.length;
    if (fields.length !== count) {
      const has = fields.length === 1 ? "1 field" : `${fields.length} fields`;
      this.report(line, 1, `the row has ${has}, ${count} expected`);
    }
    this.#controller.enqueue(
      this.#names === undefined
        ? fields
        : fields.length < count
        ? this.#toShortObject(fields)
        : this.#toObject(fields),
    );
  }

  /** Fails the stream if columns were asked for and no header came. */
  finish(): void {
    if (this.#awaitsHeader && this.#columns !== undefined) this.#takeHeader([], 1);
  }

  #toObject(fields: readonly string[]): Row {
    const names = this.#names!;
    const places = this.#places;
    const convert = this.#convert;
    const row = { ...this.#template };
    for (let index = 0; index < names.length; index++) {
      const field = fields[places === undefined ? index : places[index]!]!;
      row[names[index]!] = convert === undefined ? field : convert[index]!(field);
    }
    return row;
  }

  /** What the row has of the columns, in their order: short rows under a wide header must not be wide objects. */
  #toShortObject(fields: readonly string[]): Row {
    const indexOf = this.#indexOfPlace;
    const indexes = indexOf === undefined
      ? fields.map((_, index) => index)
      : fields.flatMap((_, place) => indexOf.get(place) ?? []).sort((one, other) => one - other);
    return Object.fromEntries(indexes.map((index) => {
      const field = fields[this.#places === undefined ? index : this.#places[index]!]!;
      return [
        this.#names![index]!,
        this.#convert === undefined ? field : this.#convert[index]!(field),
      ];
    }));
  }

  #takeHeader(fields: readonly string[], line: number): void {
    if (fields.length > this.#maxColumns) {
      throw new RangeError(
        `Cannot parse CSV: line ${line}: the header has more than maxColumns ${this.#maxColumns}`,
      );
    }
    const seen = new Set<string>();
    // What a column is called in the file is no other's name.
    const taken = new Set(fields);
    // Where to go on for each name: thousands that are the same are not tried again and again.
    const numbers = new Map<string, number>();
    const unique = fields.map((name) => {
      let free = name;
      if (seen.has(name)) {
        this.report(line, 1, `the column ${JSON.stringify(name.slice(0, 80))} is there twice`);
        let number = numbers.get(name) ?? 2;
        do free = `${name}_${number++}`; while (taken.has(free));
        numbers.set(name, number);
        taken.add(free);
      }
      seen.add(name);
      return free;
    });
    this.#count = fields.length;
    if (this.#columns === undefined) return this.#setNames(unique);
    const placeOf = new Map(unique.map((name, place) => [name, place]));
    const places = this.#columns.map((name) => placeOf.get(name) ?? -1);
    const missing = places.indexOf(-1);
    if (missing !== -1) {
      throw new SyntaxError(
        `Cannot parse CSV: line ${line}, column 1: there is no column ${
          JSON.stringify(this.#columns[missing])
        }`,
      );
    }
    this.#places = places;
    this.#indexOfPlace = new Map(places.map((place, index) => [place, index]));
    this.#setNames(this.#columns);
  }

  #setNames(names: readonly string[]): void {
    this.#names = names;
    this.#count ??= names.length;
    this.#template = Object.fromEntries(names.map((name) => [name, undefined]));
  }
}
