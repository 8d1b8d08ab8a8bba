import { describeValue, throwTypeError } from "../errors.ts";
import { type CsvFieldOptions, CsvFields } from "./csv_fields.ts";

/** What a stream of lines looks like. */
export interface CsvLinesOptions {
  readonly columns: readonly string[] | undefined;
  readonly header: boolean;
  readonly byteOrderMark: boolean;
  readonly lineEnding: string;
  readonly look: CsvFieldOptions;
}

const action = "format CSV";

/** Writes one stream's rows. */
export class CsvLines {
  readonly #controller: { enqueue(line: string): void };
  readonly #options: CsvLinesOptions;
  /** What the first row or the options say; `names` are those of objects that the first row gave. */
  #fields: CsvFields | undefined;
  #columns: readonly string[] | undefined;
  #known: ReadonlySet<string> | undefined;
  #count = 0;
  #rowNumber = 0;

  constructor(controller: { enqueue(line: string): void }, options: CsvLinesOptions) {
    this.#controller = controller;
    this.#options = options;
    this.#columns = options.columns;
  }

  add(row: unknown): void {
    this.#rowNumber++;
    if (row === null || typeof row !== "object") {
      throwTypeError(action, "a row", "an array or an object", row);
    }
    const isArray = Array.isArray(row);
    const fields = this.#fields ?? this.#begin(isArray ? row.length : Object.keys(row));
    const values = isArray ? this.#checkArray(row) : this.#valuesOf(row as Record<string, unknown>);
    const { delimiter } = this.#options.look;
    let line = this.#show(fields, values[0], 0);
    for (let index = 1; index < values.length; index++) {
      line += delimiter + this.#show(fields, values[index], index);
    }
    this.#controller.enqueue(line + this.#options.lineEnding);
  }

  finish(): void {
    if (this.#fields === undefined) this.#begin(0);
  }

  /** Writes what comes before the first row, of which the number of values or the names are given. */
  #begin(first: number | readonly string[]): CsvFields {
    const { header, byteOrderMark, lineEnding, look } = this.#options;
    if (this.#columns === undefined && typeof first === "object") {
      this.#columns = first;
      this.#known = new Set(first);
    }
    this.#count = this.#columns?.length ?? (first as number);
    if (this.#count === 0 && this.#rowNumber > 0) this.#refuse(" has no value");
    const fields = new CsvFields(look, this.#count);
    this.#fields = fields;
    const mark = byteOrderMark ? "\ufeff" : "";
    const names = header ? this.#columns : undefined;
    const text = names === undefined
      ? mark
      : mark + names.map((name) => fields.text(name)).join(look.delimiter) + lineEnding;
    if (text !== "") this.#controller.enqueue(text);
    return fields;
  }

  #checkArray(row: readonly unknown[]): readonly unknown[] {
    if (this.#known !== undefined) this.#refuse(" is an array, after objects");
    if (row.length === this.#count) return row;
    this.#refuse(` has ${row.length} values, ${this.#count} expected`);
  }

  #valuesOf(row: Readonly<Record<string, unknown>>): readonly unknown[] {
    const columns = this.#columns;
    if (columns === undefined) this.#refuse(" is an object, after arrays");
    const known = this.#known;
    if (known !== undefined) {
      const unknown = Object.keys(row).find((name) => !known.has(name));
      if (unknown !== undefined) {
        const name = JSON.stringify(unknown);
        this.#refuse(` has a column ${name} that the first has not: name the columns`);
      }
    }
    // Not what every object has, such as `constructor`.
    return columns.map((name) => Object.hasOwn(row, name) ? row[name] : undefined);
  }

  #show(fields: CsvFields, value: unknown, index: number): string {
    switch (typeof value) {
      case "string":
        return fields.text(value);
      case "number":
        // Its text would lose the sign of zero.
        return fields.plain(Object.is(value, -0) ? "-0" : String(value));
      case "bigint":
      case "boolean":
        return fields.plain(String(value));
      case "undefined":
        return fields.missing;
    }
    if (value === null) return fields.missing;
    if (value instanceof Date && !Number.isNaN(value.getTime())) {
      return fields.plain(value.toISOString());
    }
    const name = this.#columns?.[index];
    const column = name === undefined ? index + 1 : JSON.stringify(name);
    const what = value instanceof Date ? "an invalid Date" : describeValue(value);
    this.#refuse(`, column ${column} is ${what}, which CSV has nothing for`);
  }

  #refuse(problem: string): never {
    throw new TypeError(`Cannot ${action}: row ${this.#rowNumber}${problem}`);
  }
}
