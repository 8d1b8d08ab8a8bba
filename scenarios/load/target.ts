import { Buffer } from "node:buffer";
import type { JsonText } from "../extract/value.ts";

/** A value as a file has it: CSV has texts; what is no text in NDJSON is JSON as it stands. */
export type Field = string | SpeltText | JsonText | null;

/** A row of a file. */
export interface LoadRecord {
  /** The line that it begins in, from 1. */
  readonly line: number;
  /** The columns that it has values of; the same array for rows that have the same. */
  readonly names: readonly string[];
  readonly fields: readonly Field[];
}

/** A row that cannot be loaded, and why. */
export interface DeadLetter {
  readonly line: number;
  readonly reason: string;
  readonly row: unknown;
}

/**
 * The bytes that a text of base64 stands for.
 *
 * @throws {SyntaxError} If it is none.
 */
export function base64Bytes(text: string): Uint8Array {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text) throw new SyntaxError("a binary value is no base64");
  return bytes;
}

/** What there is of a load whose server has not said whether it has committed. */
export class UnknownCommitError extends Error {
  override readonly name = "UnknownCommitError";
}

/** A text of JSON whose spelling there is another than ours. */
export class SpeltText {
  /** The text. */
  readonly text: string;
  /** How it is spelt, with its quotes. */
  readonly json: string;

  constructor(text: string, json: string) {
    this.text = text;
    this.json = json;
  }
}

/** The text of a field that is there; `null`: it is not, or is NULL. */
export function textOf(field: Field | undefined): string | null {
  return typeof field === "string" ? field : field?.text ?? null;
}

/** Makes a dead letter of a row. */
export function letterOf({ line, names, fields }: LoadRecord, reason: string): DeadLetter {
  const entries = names.map((name, at) => [name, textOf(fields[at])]);
  return { line, reason, row: Object.fromEntries(entries) };
}

/** A table that takes rows in one transaction. */
export interface LoadTarget {
  /** For messages to people. */
  readonly name: string;
  readonly columns: ReadonlySet<string>;
  /** How many of the rows taken are not in the table itself: where they are is known to its triggers alone. */
  readonly diverted: number;
  /** Takes rows that have the same columns, all of them the table's; returns those that it does not take, so far. */
  add(rows: readonly LoadRecord[]): Promise<readonly DeadLetter[]>;
  /** Takes the rows that wait for others which they refer to; returns those that it does not take. */
  finish(): Promise<readonly DeadLetter[]>;
  /**
   * Makes them last.
   *
   * @throws {UnknownCommitError} If it is not known whether they do.
   */
  commit(): Promise<void>;
  /** Ends without a trace of the rows, unless they are committed. */
  close(): Promise<void>;
}
