import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { pipeline } from "@hosepipe/streams";
import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
import { natsQueue } from "@hosepipe/streams/queue/nats";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { freePorts } from "../../../scenarios/consume/faults/servers/free_ports.ts";
import { NatsServer } from "../../../scenarios/consume/faults/servers/nats_server.ts";
import { connectTo, makeJobs, skipNats } from "./_nats_server.ts";

// The adapter is the same in all runtimes, and so is what a single server is sent: see nats_queue_test.ts.
const skip = skipNats || (currentRuntime().name === "bun" ? false : "runs under bun");
const { signal } = new AbortController();

/** Tries again until a cluster that is just coming up takes it. */
async function untilDone<R>(attempt: () => Promise<R>): Promise<R> {
  while (true) {
    try {
      return await attempt();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

test("of a cluster of three the leader is killed, and nothing is lost", { skip }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-cluster-"));
  const ports = await freePorts(6);
  const routes = ports.slice(3);
  const servers = [0, 1, 2].map((index) => {
    // Its own port first.
    const order = [routes[index], ...routes.filter((_, other) => other !== index)];
    const args = ["--name", `n${index}`, "--routes", order.join(",")];
    return new NatsServer(ports[index]!, folder, ...args);
  });
  try {
    await Promise.all(servers.map((server) => server.start()));
    const connection = await connectTo(servers.map(({ url }) => url));
    await untilDone(() => makeJobs(connection, 2_000, { num_replicas: 3 }));
    const queue = natsQueue(jetstream(connection), { stream: "jobs", consumer: "rows" });
    await untilDone(() => queue.open(2_000));
    const count = 2_000;
    await queue.send(Array.from({ length: count }, (_, index) => `${index}`));

    const store = new Map<string, string>();
    const events: string[] = [];
    const consumer = new Consumer(queue, {
      leaseMs: 2_000,
      maxInFlight: 64,
      onEvent: ({ kind }) => events.push(kind),
    });
    let killed: Promise<void> | undefined;
    const killLeader = async () => {
      const manager = await jetstreamManager(connection);
      const { cluster } = await manager.consumers.info("jobs", "rows");
      await servers[Number(cluster!.leader!.slice(1))]!.kill();
    };
    await pipeline(
      messages(consumer),
      perMessage<string>(),
      stored(consumer, async (outputs) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        for (const { key, value } of outputs) store.set(key, value);
        if (killed === undefined && store.size > count / 3) killed = killLeader();
        if (store.size === count) consumer.stop();
      }, { batchSize: 16, concurrency: 2 }),
    );
    await killed;
    assert(killed !== undefined, "a leader was killed");
    assertEquals([store.size, new Set(store.values()).size], [count, count]);
    assertEquals(events.filter((kind) => kind === "dead" || kind === "failure"), []);
    // What is delivered again is nothing new.
    while (true) {
      const left = await untilDone(() => queue.receive(100, { waitMs: 2_500, signal }));
      if (left.length === 0) break;
      assert(left.every(({ id }) => store.has(`${id}/0`)));
      await untilDone(() => queue.ack(left.map(({ receipt }) => receipt)));
    }
    await connection.close();
  } finally {
    await Promise.all(servers.map((server) => server.kill()));
    await rm(folder, { recursive: true, force: true });
  }
});
