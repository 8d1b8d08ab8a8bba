import { pipeline } from "@hosepipe/streams";
import {
  Consumer,
  type ConsumerOptions,
  messages,
  perMessage,
  type QueueSource,
  stored,
} from "@hosepipe/streams/queue";
import { assert, assertEquals } from "@std/assert";
import { until } from "../../lib/until.ts";

/** Works until so many messages are done, and then until all are settled; gives the bodies and the reasons of the dead. */
export async function workOff(
  queue: QueueSource<string>,
  healthy: number,
  options: ConsumerOptions = {},
) {
  const [bodies, reasons]: unknown[][] = [[], []];
  const consumer = new Consumer(queue, {
    leaseMs: 120_000,
    ...options,
    onEvent: (event) => {
      if (event.kind === "dead") reasons.push((event.reason as Error).message);
      else if (event.kind === "outage") reasons.push(event.reason);
    },
  });
  await pipeline(
    messages(consumer),
    perMessage<string>(),
    stored<string>(consumer, (outputs) => {
      bodies.push(...outputs.map(({ value }) => value));
      if (bodies.length === healthy) consumer.stop();
    }),
  );
  return { bodies, reasons };
}

/**
 * Works off `count` messages while their server is killed and comes back: nothing is lost, nothing doubled. A part of
 * them is sent after each time, so that there is always a consumer that asks, and notices, however long a kill takes.
 */
export async function killTwice(
  queue: QueueSource<string> & { send(bodies: readonly string[]): Promise<void> },
  server: { kill(): Promise<void>; start(): Promise<unknown> },
  count: number,
  options: ConsumerOptions,
  kills: number = 2,
): Promise<Map<string, unknown>> {
  const part = count / (kills + 1);
  const events: string[] = [];
  const countOf = (kind: string) => events.filter((event) => event === kind).length;
  const store = new Map<string, unknown>();
  let sent = 0;
  const sendPart = async () => {
    await queue.send(Array.from({ length: part }, () => `${sent++}`));
  };
  let isOver = false;
  const unlessOver = (isSo: () => boolean | Promise<boolean>) => until(() => isOver || isSo());
  const killAll = async () => {
    for (let killed = 0; killed < kills && !isOver; killed++) {
      await unlessOver(() =>
        store.size > sent - part * 2 / 3 && countOf("recovery") === countOf("outage")
      );
      const outages = countOf("outage");
      await server.kill();
      // Away until that is noticed: a client that is quick to come back may notice nothing.
      await unlessOver(() => countOf("outage") > outages);
      await server.start();
      await unlessOver(() => queue.depth().then(() => true, () => false));
      await sendPart();
    }
  };
  const consumer = new Consumer(queue, { ...options, onEvent: ({ kind }) => events.push(kind) });
  await sendPart();
  const work = pipeline(
    messages(consumer),
    perMessage<string>(),
    stored<string>(consumer, (outputs) => {
      for (const { key, value } of outputs) store.set(key, value);
      if (store.size === count) consumer.stop();
    }, { batchSize: 10 }),
  );
  await Promise.all([work.finally(() => isOver = true), killAll()]);
  assertEquals([store.size, new Set(store.values()).size, sent], [count, count, count]);
  assertEquals(events.filter((kind) => kind === "dead" || kind === "failure"), []);
  assert(events.includes("recovery"));
  return store;
}
