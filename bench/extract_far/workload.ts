import { createHash, randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seedStartMs } from "../../scenarios/extract/seed/seed_contacts.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { integerParam } from "../params/integer_param.ts";
import { choiceParam } from "../params/choice_param.ts";
import { findContestant } from "../measure/find_contestant.ts";
import { farSteps } from "./contestants.ts";
import {
  databaseAddress,
  type DatabaseName,
  databaseNames,
  farDays,
  seedDatabases,
} from "./databases.ts";
import { farTable } from "./far_table.ts";
import { openDelay } from "./open_delay.ts";

const dayMs = 86_400_000;

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const step = findContestant("extract_far", farSteps, contestant);
  const database = params.database as DatabaseName;
  const server = await databaseAddress(database);
  const far = database === "sqlite" ? undefined : await openDelay(server, Number(params.delayMs));
  const job = {
    address: far?.address ?? server,
    outputPath: join(tmpdir(), `hosepipe-extract-${randomUUID()}.csv`),
    period: { fromMs: seedStartMs, toMs: seedStartMs + Number(params.days) * dayMs },
  };
  const run = await step.load();
  let rows = 0;
  return {
    async run() {
      rows = await run(job);
    },
    async verify() {
      const bytes = await readFile(job.outputPath);
      const digest = createHash("sha256").update(bytes).digest("hex");
      return { chunks: rows, bytes: bytes.length, digest };
    },
    async dispose() {
      await rm(job.outputPath, { force: true });
      await far?.close();
    },
  };
}

/** The ladder of extract on databases that are far away: there the waiting is what its steps save. */
export const extractFar: Workload = {
  name: "extract_far",
  about: "messages of a period from databases far away to CSV, step by step; needs their servers",
  params: {
    database: choiceParam("database", {
      about: "where the messages are",
      ...{ choices: databaseNames, values: databaseNames, quick: ["postgres"] },
    }),
    delayMs: integerParam("delayMs", {
      about: "what a round trip takes longer, in milliseconds",
      ...{ values: [0, 2, 10], quick: [10], minimum: 0, maximum: 1_000 },
    }),
    days: integerParam("days", {
      about: `days of the period, of ${farDays} there are`,
      ...{ values: [1, farDays], quick: [farDays], minimum: 1, maximum: farDays },
    }),
  },
  contestants: farSteps.map(({ load: _load, ...entry }) => ({
    ...entry,
    // A file is as near as it can be.
    takes: ({ database, delayMs }) => database !== "sqlite" || delayMs === 0,
  })),
  control: "load-all",
  prepareInput: seedDatabases,
  prepare,
  renderRows: farTable,
};
