import { lines, map, pipeline } from "@hosepipe/streams";
import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
import { natsQueue } from "@hosepipe/streams/queue/nats";
import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";

/** Sends three messages of two lines, fails at one line for ever, and says what became of them. */
async function tryQueue(name, queue) {
  await queue.send(["1\n2", "3\nx", "5\n6"]);
  const stop = new AbortController();
  const deaths = [];
  const consumer = new Consumer(queue, {
    signal: stop.signal,
    maxFailures: 1,
    onEvent: (event) => {
      if (event.kind === "dead") deaths.push(event.reason.message);
    },
  });
  const numbers = [];
  const toNumber = (line) => {
    if (line === "x") throw new Error("x is no number");
    return Number(line);
  };
  const running = pipeline(
    messages(consumer),
    perMessage(lines(), map(toNumber)),
    stored(consumer, (outputs) => void numbers.push(...outputs.map(({ value }) => value))),
  );
  while (consumer.counts.acknowledged + consumer.counts.dead < 3) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  stop.abort();
  await running;
  await consumer.close();
  const { waiting, leased, dead } = await queue.depth();
  const kept = numbers.filter((n) => n !== 3).sort().join(" ");
  console.log(`${name}: ${kept}; ${waiting} waiting, ${leased} leased, ${dead} dead: ${deaths}`);
}

await tryQueue("sqlite", sqliteQueue(new DatabaseSync(":memory:"), { table: "jobs" }));

const servers = process.argv[2];
if (servers === undefined) {
  try {
    natsQueue({}, { stream: "jobs", consumer: "rows" });
  } catch (error) {
    console.log(`nats: ${error.message}`);
  }
} else {
  const { connect } = await import("@nats-io/transport-node");
  const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
  const connection = await connect({ servers });
  const manager = await jetstreamManager(connection);
  // Each runtime has a stream of its own.
  const stream = `jobs${process.pid}`;
  await manager.streams.add({ name: stream, subjects: [stream], retention: "workqueue" });
  await manager.consumers.add(stream, {
    durable_name: "rows",
    ack_policy: "explicit",
    ack_wait: 30e9,
    max_deliver: -1,
  });
  await tryQueue("nats", natsQueue(jetstream(connection), { stream, consumer: "rows" }));
  await connection.close();
}
