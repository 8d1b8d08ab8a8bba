import { bar } from "../tables/bar.ts";
import assert from "node:assert/strict";
import { choiceParam, defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { contestants, type FormatKind, type RunFormat } from "./contestants.ts";

const boundary = "----hosepipe";
const blockSize = 65_536;

/** The rows of a table; with `isQuoted` a third of them have quotes, delimiters and line breaks. */
function makeRows(count: number, isQuoted: boolean): Record<string, string>[] {
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
function toCsv(rows: readonly Readonly<Record<string, string>>[]): string {
  const lines = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))];
  return lines.map((fields) => `${fields.map(quote).join(",")}\r\n`).join("");
}

/** What each event carries. */
function dataOf(index: number): string {
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
const bytesPerRecord = 1024;

/** The input of a kind that reads, as it comes from a network. */
function makeBytes(kind: FormatKind, records: number): Uint8Array<ArrayBuffer>[] {
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

const kinds: readonly FormatKind[] = [
  ...["read-csv", "read-quoted-csv", "write-csv", "read-events", "read-form"] as const,
];

const encoder = new TextEncoder();

interface Taken {
  count: number;
  length: number;
}

/** How each kind counts what it is given: only as much as shows that all of it came. */
function takeOf(kind: FormatKind, taken: Taken, written: Uint8Array): (value: unknown) => void {
  if (kind === "write-csv") {
    return (text) => {
      taken.count += (text as string).length;
      taken.length += encoder.encodeInto(text as string, written.subarray(taken.length)).written;
    };
  }
  if (kind === "read-events" || kind === "read-form") {
    return (value) => {
      taken.count++;
      taken.length += (value as string | Uint8Array).length;
    };
  }
  return (row) => {
    taken.count++;
    taken.length += (row as { readonly comment: string }).comment.length;
  };
}

/** What came, or should have come. */
function describe(kind: FormatKind, { count, length }: Taken): string {
  return kind === "read-form" ? `${length} bytes` : `${count} of ${length} units`;
}

function expectedOf(kind: FormatKind, records: number, csv: string): Taken {
  if (kind === "read-form") return { count: 0, length: records * bytesPerRecord };
  if (kind === "write-csv") return { count: csv.length, length: encoder.encode(csv).length };
  const lengths = kind === "read-events"
    ? Array.from({ length: records }, (_, index) => dataOf(index).length)
    : makeRows(records, kind !== "read-csv").map(({ comment }) => comment!.length);
  return { count: records, length: lengths.reduce((sum, one) => sum + one, 0) };
}

function prepare(run: RunFormat, { params }: CaseRequest): PreparedCase {
  const kind = params.job as FormatKind;
  const records = Number(params.records);
  const bytes = makeBytes(kind, records);
  const rows = kind === "write-csv" ? makeRows(records, true) : [];
  const csv = kind === "write-csv" ? toCsv(rows) : "";
  const expected = expectedOf(kind, records, csv);
  // What is written is copied as to a file: a text that is only kept would cost more than it takes to make it.
  const written = new Uint8Array(csv.length * 3);
  let taken: Taken = { count: 0, length: 0 };
  return {
    async run() {
      taken = { count: 0, length: 0 };
      await run({ kind, bytes, rows, boundary, take: takeOf(kind, taken, written) });
    },
    verify() {
      const [digest, right] = [taken, expected].map((one) => describe(kind, one));
      const text = new TextDecoder().decode(written.subarray(0, csv === "" ? 0 : taken.length));
      assert(digest === right && text === csv, `${digest}, expected ${right}`);
      const size = bytes.reduce((sum, { length }) => sum + length, text.length);
      return { chunks: records, bytes: size, digest: digest! };
    },
  };
}

/** CSV, server-sent events and forms. */
export const formats: Workload = defineWorkload({
  name: "formats",
  about: "formats: rows of 8 columns as CSV, server-sent events, a form with a file",
  whyNoControl: "a parser by hand is one of the contestants",
  params: {
    job: choiceParam("job", { about: "what is read or written", choices: kinds }),
    records: integerParam("records", {
      about: "rows, events, or KiB of a form's file",
      values: [60_000],
      quick: [2_000],
    }),
  },
  rates: ["ns per chunk"],
  bars: [
    bar("papaparse", "pipeline", { atLeast: 1 }),
    bar("csv-parse", "pipeline", { atLeast: 1 }),
  ],
  set: "publish",
  contestantSet: "publish",
  contestants,
  prepare,
});
