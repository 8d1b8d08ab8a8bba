import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { batchSize, toRow } from "../contestant.ts";
import { gatherSaves } from "../gather_saves.ts";

const logger = new Logger(() => () => {});

/** Graphile Worker, which hands over single jobs. */
export async function open(address) {
  const utils = await makeWorkerUtils({ connectionString: address, logger });
  return {
    setUp: () => utils.migrate(),
    send: (bodies) =>
      utils.addJobs(bodies.map((body) => ({ identifier: "store", payload: { body } }))),
    async work(save) {
      const gathered = gatherSaves(save);
      const runner = await run({
        connectionString: address,
        logger,
        noHandleSignals: true,
        taskList: { store: ({ body }) => gathered(toRow(body)) },
        preset: {
          worker: {
            ...{ concurrentJobs: batchSize, maxPoolSize: 8, pollInterval: 500 },
            ...{ localQueue: { size: 2 * batchSize }, completeJobBatchDelay: 0 },
          },
        },
      });
      return () => runner.stop();
    },
    close: () => utils.release(),
  };
}
