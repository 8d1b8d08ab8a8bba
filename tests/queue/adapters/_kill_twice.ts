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

/** Works off `count` messages while their server is killed twice and comes back: nothing is lost, nothing doubled. */
export async function killTwice(
  queue: QueueSource<string>,
  server: { kill(): Promise<void>; start(): Promise<unknown> },
  count: number,
  options: ConsumerOptions,
  kills: number = 2,
): Promise<Map<string, unknown>> {
  const events: string[] = [];
  const store = new Map<string, unknown>();
  let restarting = Promise.resolve();
  let killed = 0;
  let isRestarting = false;
  const restart = async () => {
    isRestarting = true;
    // Away until that is noticed: a client that is quick to come back may notice nothing.
    const before = events.length;
    await server.kill();
    await until(() => events.slice(before).includes("outage"));
    await server.start();
    isRestarting = false;
  };
  const countOf = (kind: string) => events.filter((event) => event === kind).length;
  const consumer = new Consumer(queue, { ...options, onEvent: ({ kind }) => events.push(kind) });
  await pipeline(
    messages(consumer),
    perMessage<string>(),
    stored<string>(consumer, (outputs) => {
      // It does not wait for the server: a consumer with nothing to acknowledge may not notice that it is away.
      for (const { key, value } of outputs) store.set(key, value);
      const isBack = !isRestarting && countOf("recovery") === countOf("outage");
      if (killed < kills && isBack && store.size > (killed + 1) * count / 3) {
        killed++;
        restarting = restart();
      }
      if (store.size === count) consumer.stop();
    }, { batchSize: 10 }),
  );
  await restarting;
  assertEquals([store.size, new Set(store.values()).size, killed], [count, count, kills]);
  assertEquals(events.filter((kind) => kind === "dead" || kind === "failure"), []);
  assert(events.includes("recovery"));
  return store;
}
