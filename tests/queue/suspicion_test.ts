import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { Delivery } from "@hosepipe/streams/queue";
import type { Ledger } from "../../src/queue/ledger.ts";
import type { LeasedMessage } from "../../src/queue/message.ts";
import { Suspicion } from "../../src/queue/receiver.ts";

function suspicionOf(orphans?: () => Promise<number>) {
  const told: string[] = [];
  const stopped = new AbortController();
  const ledger = {
    queue: { orphans },
    settings: { maxSuspicions: 5, leaseMs: 30 },
    outage: (of: string, reason: unknown) => told.push(`outage of ${of}: ${reason}`),
    recovery: (of: string) => told.push(`recovery of ${of}`),
  };
  const suspicion = new Suspicion<string>(ledger as unknown as Ledger<string>, stopped.signal);
  return { suspicion, told, stopped };
}

function handedOver(id: string, isolations: number): Delivery<string> {
  return { id, body: "", receipt: { id }, deliveries: 3 + isolations, failures: 0, isolations };
}

/** At how many deaths a message is found guilty. */
async function guiltyAt(orphans: () => Promise<number>, others: number[] = []): Promise<number> {
  const { suspicion } = suspicionOf(orphans);
  await suspicion.look(others.map((isolations, index) => handedOver(`other ${index}`, isolations)));
  for (let deaths = 0;; deaths++) {
    const delivery = handedOver("one", deaths);
    await suspicion.look([delivery]);
    if (suspicion.isKiller(delivery)) return deaths;
  }
}

test("with one orphan twice as many must have died of it, and with several four times", async () => {
  const found: number[] = [];
  for (const orphans of [0, 1, 2, 3, 100]) {
    found.push(await guiltyAt(() => Promise.resolve(orphans)));
  }
  assertEquals(found, [5, 10, 20, 20, 20]);
});

test("what a worker was handed counts as well, however the queue answers", async () => {
  const none = () => Promise.resolve(0);
  const found: number[] = [];
  for (const others of [[0, 0], [1], [1, 0, 1], [1, 1, 1, 1], [2, 7]]) {
    found.push(await guiltyAt(none, others));
  }
  assertEquals(found, [5, 10, 20, 20, 5]);
});

test("a worker that died with it, and had not begun it alone, speaks for it", () => {
  const { suspicion } = suspicionOf();
  const found = [0, 1, 2, 3].map((innocent) => {
    for (let deaths = 0;; deaths++) {
      const delivery = handedOver("one", deaths);
      const { deliveries } = delivery;
      if (suspicion.isKiller({ ...delivery, deliveries: deliveries + innocent })) return deaths;
    }
  });
  assertEquals(found, [5, 10, 20, 20]);
});

test("a worker that lives on with it says why it is dead, and one that stops does not", async () => {
  const ending = async (isolations: number, isStopped = false) => {
    const { suspicion, stopped } = suspicionOf();
    const message = { delivery: handedOver("one", isolations) } as LeasedMessage<string>;
    const reason = suspicion.outlive(message);
    if (isStopped) stopped.abort();
    return (await reason)?.message;
  };
  assertEquals(await ending(1), "1 worker has died while at work on it and on nothing else");
  assertEquals(await ending(5), "5 workers have died while at work on it and on nothing else");
  assertEquals(await ending(5, true), undefined);
});

test("the queue is asked only where a message may be found guilty, and anew each time", async () => {
  let asked = 0;
  const { suspicion, told } = suspicionOf(() => Promise.resolve(++asked));
  assertEquals(suspicion.look([handedOver("one", 4), handedOver("two", 0)]), undefined);
  assertEquals(asked, 0);
  const { suspicion: other } = suspicionOf(() => Promise.resolve(asked++));
  const guilty = handedOver("one", 5);
  await other.look([guilty]);
  assertEquals([asked, other.isKiller(guilty)], [1, true]);
  await other.look([guilty]);
  assertEquals([asked, other.isKiller(guilty)], [2, false]);
  assertEquals(told, []);
});

test("a queue that cannot answer is asked again, which is an outage", async () => {
  let asked = 0;
  const { suspicion, told } = suspicionOf(() => {
    return ++asked < 3 ? Promise.reject(new Error("away")) : Promise.resolve(0);
  });
  const guilty = handedOver("one", 5);
  await suspicion.look([guilty]);
  assertEquals([asked, suspicion.isKiller(guilty)], [3, true]);
  assertEquals(told, [...Array(2).fill("outage of broker: Error: away"), "recovery of broker"]);
});

test("nobody is found guilty if the worker stops before the queue has answered", async () => {
  const { suspicion, stopped } = suspicionOf(() => {
    stopped.abort();
    return Promise.reject(new Error("away"));
  });
  await suspicion.look([handedOver("one", 19)]);
  assertEquals(suspicion.isKiller(handedOver("one", 19)), false);
});

test("a queue without the method leaves it to what was handed over", () => {
  const { suspicion } = suspicionOf();
  assertEquals(suspicion.look([handedOver("one", 5)]), undefined);
  assertEquals(suspicion.isKiller(handedOver("one", 5)), true);
  assertEquals(suspicion.look([handedOver("two", 1)]), undefined);
  assertEquals(suspicion.isKiller(handedOver("one", 9)), false);
  assertEquals(suspicion.isKiller(handedOver("one", 10)), true);
});
