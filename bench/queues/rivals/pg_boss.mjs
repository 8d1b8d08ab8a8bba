import { PgBoss } from "pg-boss";
import { batchSize, toRow } from "../contestant.ts";

/** pg-boss; a job is an object, so the text is in one. */
export async function open(address) {
  const boss = new PgBoss({ connectionString: address, max: 8, useListenNotify: true });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  return {
    setUp: () => boss.createQueue("bench", { notify: true }),
    send: (bodies) => boss.insert("bench", bodies.map((body) => ({ data: { body } }))),
    async work(save) {
      const options = { batchSize, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
      await boss.work("bench", options, (jobs) => save(jobs.map(({ data }) => toRow(data.body))));
      return () => boss.offWork("bench");
    },
    close: () => boss.stop({ graceful: false }),
  };
}
