/** What is read or written. */
export type FormatKind = "read-csv" | "read-quoted-csv" | "write-csv" | "read-events" | "read-form";

/** A text of a format in chunks of 64 KiB, or rows to be written. */
export interface FormatJob {
  readonly kind: FormatKind;
  readonly bytes: readonly Uint8Array<ArrayBuffer>[];
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** The boundary of a form. */
  readonly boundary: string;
  /** Takes a row as an object, the text of lines, an event's data, or bytes of a form's file. */
  take(value: unknown): void;
}

/** Runs the job; a contestant is one such function. */
export type RunFormat = (job: FormatJob) => Promise<void>;
