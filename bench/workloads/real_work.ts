import { contestants } from "../contestants/real_work/mod.ts";
import type { CaseRequest, PreparedCase, Workload } from "../lib/workload.ts";
import { choiceParam } from "./lib/choice_param.ts";
import { findContestant } from "./lib/find_contestant.ts";
import { integerParam } from "./lib/integer_param.ts";
import { makeDocuments } from "./lib/make_documents.ts";
import { prepareGzip } from "./lib/prepare_gzip.ts";
import { prepareJson } from "./lib/prepare_json.ts";

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const worker = await findContestant("real_work", contestants, contestant).load();
  const documents = makeDocuments(Number(params.documents));
  const prepareWork = params.work === "json" ? prepareJson : prepareGzip;
  return prepareWork(contestant, worker, documents);
}

/** Stages that have something to do: where what the streams cost no longer matters. */
export const realWork: Workload = {
  name: "real_work",
  about: "JSON documents of 4 KiB, parsed and added up, or compressed by gzip",
  params: {
    work: choiceParam("work", {
      about: "what the stages do",
      choices: ["json", "gzip"],
      values: ["json", "gzip"],
    }),
    documents: integerParam("documents", {
      about: "how many documents of about 4 KiB",
      minimum: 1,
      maximum: 1_000_000,
      values: [1000],
      quick: [250],
      full: [10_000],
    }),
  },
  contestants: contestants.map(({ load: _, ...entry }) => entry),
  rates: ["ns per chunk", "MiB/s"],
  prepare,
};
