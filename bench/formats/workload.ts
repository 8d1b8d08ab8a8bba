import { findContestant } from "../measure/find_contestant.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { choiceParam } from "../params/choice_param.ts";
import { integerParam } from "../params/integer_param.ts";
import { contestants } from "./contestants.ts";
import { boundary, bytesPerRecord, dataOf, makeBytes, makeRows, toCsv } from "./inputs.ts";
import type { FormatKind } from "./job.ts";

const kinds: readonly FormatKind[] = [
  ...["read-csv", "read-quoted-csv", "write-csv", "read-events", "read-form"] as const,
];

interface Taken {
  count: number;
  length: number;
  text: string;
}

/** How each kind counts what it is given: only as much as shows that all of it came. */
function takeOf(kind: FormatKind, taken: Taken): (value: unknown) => void {
  if (kind === "write-csv") return (text) => void (taken.text += text as string);
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

/** What the input should have given. */
function digestOf(kind: FormatKind, records: number, { count, length, text }: Taken): string {
  return kind === "write-csv"
    ? `${text.length} units of text`
    : `${kind === "read-form" ? records : count} records of ${length}`;
}

function expectedOf(kind: FormatKind, records: number): Taken {
  if (kind === "read-form") {
    return { count: records, length: records * bytesPerRecord, text: "" };
  }
  if (kind === "read-events") {
    const lengths = Array.from({ length: records }, (_, index) => dataOf(index).length);
    return { count: records, length: lengths.reduce((sum, one) => sum + one, 0), text: "" };
  }
  const rows = makeRows(records, kind !== "read-csv");
  const length = rows.reduce((sum, { comment }) => sum + comment!.length, 0);
  return { count: records, length, text: kind === "write-csv" ? toCsv(rows) : "" };
}

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const run = await findContestant("formats", contestants, contestant).load();
  const kind = params.job as FormatKind;
  const records = Number(params.records);
  const bytes = makeBytes(kind, records);
  const rows = kind === "write-csv" ? makeRows(records, true) : [];
  const expected = expectedOf(kind, records);
  let taken: Taken = { count: 0, length: 0, text: "" };
  return {
    async run() {
      taken = { count: 0, length: 0, text: "" };
      await run({ kind, bytes, rows, boundary, take: takeOf(kind, taken) });
    },
    async verify() {
      const [digest, right] = [taken, expected].map((one) => digestOf(kind, records, one));
      if (digest !== right || taken.text !== expected.text) {
        throw new Error(`Cannot accept ${contestant}: ${digest}, expected ${right}`);
      }
      const size = bytes.reduce((sum, { length }) => sum + length, taken.text.length);
      return await Promise.resolve({ chunks: records, bytes: size, digest: digest! });
    },
    dispose: () => Promise.resolve(),
  };
}

/** CSV, server-sent events and forms. */
export const formats: Workload = {
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
      minimum: 1,
      maximum: 1_000_000,
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
  contestants: contestants.map(({ load: _, ...entry }) => entry),
  prepare,
};
