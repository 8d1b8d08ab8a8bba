import { createHash, randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkInteger } from "../../src/errors.ts";
import { ensureSeed } from "../../scenarios/extract/seed/ensure_seed.ts";
import { seedStartMs } from "../../scenarios/extract/seed/seed_contacts.ts";
import { steps } from "./contestants.ts";
import { findContestant } from "../measure/find_contestant.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import type { Outcome } from "../results/outcome.ts";
import { extractTable } from "./extract_table.ts";

const seed = { contacts: 20_000, days: 30, seed: 1 };
const dataFolder = fileURLToPath(new URL("../data", import.meta.url));
const dayMs = 86_400_000;

function parseDays(text: string): number {
  const days = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(days >= 1 && days <= seed.days)) {
    throw new RangeError(
      `Cannot read days: must be an integer from 1 to ${seed.days}, got ${JSON.stringify(text)}`,
    );
  }
  return days;
}

async function describeOutput(path: string, rows: number): Promise<Outcome> {
  const hash = createHash("sha256");
  let bytes = 0;
  // One buffer for all: the peak of memory is taken after this, and must not be of its making.
  const buffer = new Uint8Array(65_536);
  const file = await open(path, "r");
  try {
    while (true) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await file.close();
  }
  return { chunks: rows, bytes, digest: hash.digest("hex") };
}

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const step = findContestant("extract", steps, contestant);
  checkInteger("prepare extract", "days", params.days, 1);
  const job = {
    address: `sqlite:${await ensureSeed(dataFolder, seed)}`,
    outputPath: join(tmpdir(), `hosepipe-extract-${randomUUID()}.csv`),
    period: { fromMs: seedStartMs, toMs: seedStartMs + Number(params.days) * dayMs },
  };
  const dispose = () => rm(job.outputPath, { force: true });
  try {
    await step.check?.(job);
  } catch (error) {
    await dispose();
    throw error;
  }
  const run = await step.load();
  let rows = 0;
  return {
    async run() {
      rows = await run(job);
    },
    verify: () => describeOutput(job.outputPath, rows),
    dispose,
  };
}

/** A month of conversations from a database to CSV: what each step from a crash to a stream brings. */
export const extract: Workload = {
  name: "extract",
  about: "messages of a period from SQLite to CSV, step by step from loading all to a stream",
  params: {
    days: {
      about: `days of the period, of ${seed.days} there are`,
      values: [1, 30],
      quick: [1],
      parse: parseDays,
    },
  },
  contestants: steps.map(({ load: _load, check: _check, ...entry }) => entry),
  control: "cursor",
  bars: [{
    dividend: { contestant: "cursor" },
    divisor: { contestant: "projection" },
    atLeast: 2,
  }],
  prepareInput: async () => void await ensureSeed(dataFolder, seed),
  prepare,
  renderRows: extractTable,
};
