import { findContestant } from "../measure/find_contestant.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { integerParam } from "../params/integer_param.ts";
import { contestants } from "./contestants.ts";

/** What the compressed bytes hold. */
async function unpack(chunks: Uint8Array[]): Promise<string> {
  const body = new Blob(chunks as BlobPart[]).stream();
  return await new Response(body.pipeThrough(new DecompressionStream("gzip"))).text();
}

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const run = await findContestant("byte_blocks", contestants, contestant).load();
  const rows = Array.from({ length: Number(params.rows) }, (_, id) => ({
    ...{ id, name: `row ${id * 7919 % 10_007}`, city: "Köln", score: id % 97 / 8 },
  }));
  const expected = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  let chunks: Uint8Array[] = [];
  return {
    async run() {
      chunks = [];
      await run({ rows, take: (chunk) => void chunks.push(chunk) });
    },
    async verify() {
      if (await unpack(chunks) !== expected) {
        throw new Error(`Cannot accept ${contestant}: the text is not that of the rows`);
      }
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      const digest = `${expected.length} units of text`;
      return {
        chunks: rows.length,
        bytes: expected.length,
        digest,
        extra: { gzippedBytes: bytes },
      };
    },
    dispose: () => Promise.resolve(),
  };
}

/** Small writes into native compression. */
export const byteBlocks: Workload = {
  name: "byte_blocks",
  about: "rows to lines of JSON, to UTF-8, to gzip",
  params: {
    rows: integerParam("rows", {
      about: "rows, a line each",
      minimum: 0,
      values: [50_000],
      quick: [5_000],
      publish: [50_000],
    }),
  },
  rates: ["ns per chunk"],
  bars: [{
    ...{ dividend: { contestant: "pipeline" }, divisor: { contestant: "hand" } },
    atMost: 1.3,
  }],
  contestants: contestants.map(({ load: _, ...entry }) => ({ set: "publish" as const, ...entry })),
  prepare,
};
