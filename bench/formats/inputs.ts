import type { FormatKind } from "./job.ts";

export const boundary = "----hosepipe";
const blockSize = 65_536;

/** The rows of a table; with `isQuoted` a third of them have quotes, delimiters and line breaks. */
export function makeRows(count: number, isQuoted: boolean): Record<string, string>[] {
  return Array.from({ length: count }, (_, id) => ({
    ...{ id: `${id}`, name: isQuoted ? `Smith, Ann ${id}` : `Ann Smith ${id}` },
    ...{ email: `ann${id}@example.com`, city: "Köln", amount: `${id * 37 % 10_007 / 100}` },
    ...{ created: `2026-01-${10 + id % 18}T12:00:00Z`, isPaid: `${id % 2 === 0}` },
    comment: isQuoted && id % 3 === 0
      ? `said "hello" and left\nroom ${id}`
      : `a comment with nothing in it, number ${id}`.replace(",", isQuoted ? "," : ""),
  }));
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The rows as CSV, as every contestant writes it. */
export function toCsv(rows: readonly Readonly<Record<string, string>>[]): string {
  const lines = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))];
  return lines.map((fields) => `${fields.map(quote).join(",")}\r\n`).join("");
}

/** What each event carries. */
export function dataOf(index: number): string {
  return `{"choices":[{"delta":{"content":" token ${index}"}}]}`;
}

function toForm(length: number): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const head = encoder.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.raw"\r\n\r\n`,
  );
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  const bytes = new Uint8Array(head.length + length + tail.length);
  bytes.set(head);
  for (let at = 0; at < length; at++) bytes[head.length + at] = at * 31 + (at >> 8);
  bytes.set(tail, head.length + length);
  return bytes;
}

/** How many bytes the file of a form has for each record that is asked for. */
export const bytesPerRecord = 1024;

/** The input of a kind that reads, as it comes from a network. */
export function makeBytes(kind: FormatKind, records: number): Uint8Array<ArrayBuffer>[] {
  if (kind === "write-csv") return [];
  const encoder = new TextEncoder();
  const whole = kind === "read-form"
    ? toForm(records * bytesPerRecord)
    : kind === "read-events"
    ? encoder.encode(
      Array.from({ length: records }, (_, n) => `id: ${n}\ndata: ${dataOf(n)}\n\n`).join(""),
    )
    : encoder.encode(toCsv(makeRows(records, kind === "read-quoted-csv")));
  const blocks: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < whole.length; at += blockSize) blocks.push(whole.slice(at, at + blockSize));
  return blocks;
}
