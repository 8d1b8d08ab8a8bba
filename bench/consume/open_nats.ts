import { natsQueue } from "../../src/queue/nats.ts";
import type { StoredMessage } from "./job.ts";
import { startNats } from "./nats_server.ts";
import type { HandLoop, OpenQueue } from "./open_sqlite.ts";

/** A stream of a NATS server of its own, and the loop on the same client. */
export async function openNats(folder: string, loop: HandLoop): Promise<OpenQueue> {
  const server = await startNats(folder);
  const { connect } = await import("@nats-io/transport-node");
  const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
  const connection = await connect({ servers: server.servers });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: "jobs", subjects: ["jobs"], retention: "workqueue" });
  await manager.consumers.add("jobs", {
    durable_name: "rows",
    ack_policy: "explicit",
    ack_wait: 30e9,
    max_deliver: -1,
    max_ack_pending: 10_000,
  });
  const client = jetstream(connection);
  const byHand = async (): Promise<void> => {
    const consumer = await client.consumers.get("jobs", "rows");
    // With the batch in hand as many as may be leased.
    const ahead = loop.maxInFlight - loop.batchSize;
    const messages = await consumer.consume({ max_messages: ahead });
    let left = loop.count;
    let batch: { readonly message: { ack(): void }; readonly stored: StoredMessage }[] = [];
    for await (const message of messages) {
      const value = loop.work(message.string());
      batch.push({ message, stored: { key: `jobs-${message.seq}/0`, value } });
      if (batch.length < loop.batchSize && batch.length < left) continue;
      loop.save(batch.map(({ stored }) => stored));
      for (const { message } of batch) message.ack();
      left -= batch.length;
      batch = [];
      if (left === 0) break;
    }
    await connection.flush();
  };
  return {
    queue: natsQueue(client, { stream: "jobs", consumer: "rows" }),
    byHand,
    async close() {
      await connection.close();
      await server.stop();
    },
  };
}
