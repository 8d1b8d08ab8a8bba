import type { BadDocumentError } from "./bad_document_error.ts";
import type { MessageField, MessageRow } from "./message_row.ts";
import type { Period } from "./period.ts";

/** What a cursor reads, and how. */
export interface CursorOptions {
  readonly part: Period;
  /** Whether this is the first part of the period: what began before it is then this part's to report. */
  readonly isFirst: boolean;
  /** How many rows, or documents, are fetched at a time. */
  readonly batchSize: number;
  /** Which fields the rows must have; `messageId` and `sentAtMs` are among them. */
  readonly fields: readonly MessageField[];
  /** Whether only those are fetched; else everything is. */
  readonly projection: boolean;
  /** Called for what is no message; throws, or returns to have it left out. */
  onBadDocument(error: BadDocumentError): void;
}

/** Where messages come from. */
export interface MessageSource {
  /** What it is called in messages to people, without secrets. */
  readonly name: string;
  /** What other threads may open to read the very same messages meanwhile, where there is such a thing. */
  readonly sharedAddress?: string;
  /** How many cursors are open. */
  readonly openCursors: number;
  /** Looks for what would make reading slow; one line for each, with its remedy. */
  warnings(): Promise<string[]>;
  /**
   * Reads the messages of a part by time, then id, in arrays of up to `batchSize`. The cursor opens
   * with the first array and closes with the last, or with the iterator.
   */
  read(
    options: CursorOptions,
  ): Iterable<readonly MessageRow[]> | AsyncIterable<readonly MessageRow[]>;
  /** Closes what is open, cursors too. */
  close(): Promise<void>;
}
