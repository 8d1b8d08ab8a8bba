import { bar } from "../tables/bar.ts";
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { choiceParam, defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { contestants, type JobName, jobNames, type Jobs, type Row } from "./contestants.ts";

function prepare(jobs: Jobs, { contestant, params }: CaseRequest): PreparedCase {
  const name = params.job as JobName;
  const run = jobs[name];
  if (run === undefined) throw new Error(`Cannot prepare defaults: ${contestant} has no ${name}`);
  const count = Number(params.rows);
  function* rows(): Generator<Row> {
    for (let id = 0; id < count; id++) yield { id, name: `row ${id}`, total: id * 2 };
  }
  const outputPath = join(tmpdir(), `hosepipe-defaults-${randomUUID()}`);
  let given: Uint8Array | void;
  return {
    reset: () => rm(outputPath, { force: true }),
    async run() {
      given = await run({ rows, outputPath });
    },
    async verify() {
      const written = given ?? await readFile(outputPath);
      const bytes = name === "gzip" ? gunzipSync(written) : written;
      // stream-chain ends no last line.
      const text = new TextDecoder().decode(bytes).trimEnd();
      const chunks = text.split("\n").length;
      assert(chunks === count, `${chunks} rows, not ${count}`);
      const digest = createHash("sha256").update(text).digest("hex");
      return { chunks, bytes: text.length, digest };
    },
    dispose: () => rm(outputPath, { force: true }),
  };
}

/** Rows to lines of JSON, as the documentation writes it: whether one word more would make it faster. */
export const defaults: Workload = defineWorkload({
  name: "defaults",
  about: "rows to lines of JSON and on, as the documentation shows it, beside the best",
  params: {
    job: choiceParam("job", {
      about: "to a file, a gzip and a file, node:http's response, a served body, bytes",
      choices: jobNames,
    }),
    rows: integerParam("rows", {
      about: "rows of each run",
      values: [100_000],
      quick: [10_000],
    }),
  },
  set: "publish",
  bars: [
    ...jobNames.map((job) => bar("docs", "blocks", { params: { job }, atMost: 1.2 })),
    bar("docs", "stream-chain", { params: { job: "file" }, atMost: 1 }),
  ],
  contestants,
  prepare,
});
