import { Queue, Worker } from "bullmq";
import { batchSize, toRow } from "../contestant.ts";
import { gatherSaves } from "../gather_saves.ts";

/** BullMQ, which hands over single jobs. */
export function open(address) {
  const { hostname, port } = new URL(address);
  const connection = { host: hostname, port: Number(port), maxRetriesPerRequest: null };
  const queue = new Queue("bench", { connection });
  return Promise.resolve({
    setUp: () => queue.waitUntilReady(),
    send: (bodies) =>
      queue.addBulk(
        bodies.map((body) => ({ name: "store", data: body, opts: { removeOnComplete: true } })),
      ),
    async work(save) {
      const gathered = gatherSaves(save);
      const work = ({ data }) => gathered(toRow(data));
      const worker = new Worker("bench", work, { connection, concurrency: batchSize });
      await worker.waitUntilReady();
      return () => worker.close();
    },
    close: () => queue.close(),
  });
}
