import { contestants } from "./contestants.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { choiceParam } from "../params/choice_param.ts";
import { findContestant } from "../measure/find_contestant.ts";
import { integerParam } from "../params/integer_param.ts";
import { makeDocuments } from "./make_documents.ts";
import { prepareGzip } from "./prepare_gzip.ts";
import { prepareJson } from "./prepare_json.ts";

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
