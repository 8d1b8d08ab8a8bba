import { defineWorkload } from "../measure/define_workload.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { choiceParam } from "../params/choice_param.ts";
import { integerParam } from "../params/integer_param.ts";
import { contestants } from "./contestants.ts";
import { boundary, bytesPerRecord, dataOf, makeBytes, makeRows, toCsv } from "./inputs.ts";
import type { FormatKind, RunFormat } from "./job.ts";

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

function prepare(run: RunFormat, { contestant, params }: CaseRequest): PreparedCase {
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
    async verify() {
      const [digest, right] = [taken, expected].map((one) => describe(kind, one));
      const text = new TextDecoder().decode(written.subarray(0, csv === "" ? 0 : taken.length));
      if (digest !== right || text !== csv) {
        throw new Error(`Cannot accept ${contestant}: ${digest}, expected ${right}`);
      }
      const size = bytes.reduce((sum, { length }) => sum + length, text.length);
      return await Promise.resolve({ chunks: records, bytes: size, digest: digest! });
    },
    dispose: () => Promise.resolve(),
  };
}

/** CSV, server-sent events and forms. */
export const formats: Workload = defineWorkload({
  name: "formats",
  about: "formats: rows of 8 columns as CSV, server-sent events, a form with a file",
  whyNoControl: "a parser by hand is one of the contestants",
  params: {
    job: choiceParam("job", {
      about: "what is read or written",
      choices: kinds,
      values: [...kinds],
    }),
    records: integerParam("records", {
      about: "rows, events, or KiB of a form's file",
      values: [60_000],
      quick: [2_000],
    }),
  },
  rates: ["ns per chunk"],
  bars: [{
    ...{ dividend: { contestant: "papaparse" }, divisor: { contestant: "pipeline" }, atLeast: 1 },
  }, {
    ...{ dividend: { contestant: "csv-parse" }, divisor: { contestant: "pipeline" }, atLeast: 1 },
  }],
  contestants,
  prepare,
});
