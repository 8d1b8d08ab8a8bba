import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";
import type { Item, Order, Orders } from "./_orders.ts";
import { priceOrders } from "./orders.ts";
import { priceOrders as withNodeStreams } from "./orders_with_node_streams.ts";
import { priceOrders as withRxJS } from "./orders_with_rxjs.ts";
import { priceOrders as withStreamingIterables } from "./orders_with_streaming_iterables.ts";

const others: Record<string, Orders> = {
  "RxJS": withRxJS,
  "streaming-iterables": withStreamingIterables,
  "node:stream": withNodeStreams,
};

interface Scene {
  readonly count: number;
  readonly maxItems?: number;
  readonly sourceFailsAt?: number;
  readonly badLineAt?: number;
  readonly priceFailsAt?: number;
  readonly storeFailsAt?: number;
}

interface Played {
  readonly stored: Item[][];
  readonly ending: unknown;
  /** Whether the source is closed in the end. */
  readonly isClosed: boolean;
}

/** Runs a program over orders of which some come twice and some lines are empty. */
async function play(program: Orders, scene: Scene): Promise<Played> {
  let isClosed = false;
  async function* source(): AsyncGenerator<string> {
    try {
      for (let id = 0; id < scene.count; id++) {
        await undefined;
        if (id === scene.sourceFailsAt) throw new Error("the source");
        if (id % 4 === 3) yield "";
        if (id === scene.badLineAt) yield "{";
        const order: Order = {
          id: id % 9 === 8 ? id - 2 : id,
          customer: `customer ${id % 5}`,
          items: Array.from({ length: id % 4 }, (_, n) => `item ${id}.${n}`),
        };
        yield JSON.stringify(order);
      }
    } finally {
      isClosed = true;
    }
  }
  let [open, most] = [0, 0];
  const price = async ({ id, customer, items }: Order): Promise<Item[]> => {
    most = Math.max(most, ++open);
    for (let n = id * 7 % 5; n > 0; n--) await turns(0);
    open--;
    if (id === scene.priceFailsAt) throw new Error("the price");
    return items.map((item, n) => ({ order: id, customer, item, cents: id * 10 + n }));
  };
  const stored: Item[][] = [];
  const store = async (items: readonly Item[]) => {
    await undefined;
    if (stored.length === scene.storeFailsAt) throw new Error("the store");
    stored.push([...items]);
  };
  let sum: number | undefined;
  const failure = await errorOf((async () => {
    sum = await program({ source: source(), price, store, maxItems: scene.maxItems ?? Infinity });
  })());
  await turns(3);
  assert(most <= 3, `${most} at a time`);
  return { stored, isClosed, ending: failure === "none" ? sum : [String(failure[0])] };
}

const scenes: Record<string, [Scene, failure?: string]> = {
  "some orders": [{ count: 100 }],
  "none": [{ count: 0 }],
  "fewer than a batch": [{ count: 4 }],
  "an end on the way": [{ count: 200, maxItems: 47 }],
  "an end at once": [{ count: 200, maxItems: 1 }],
  "a source that fails": [{ count: 100, sourceFailsAt: 50 }, "Error: the source"],
  "a line that is no JSON": [{ count: 100, badLineAt: 50 }, "SyntaxError"],
  "a price that fails": [{ count: 100, priceFailsAt: 50 }, "Error: the price"],
  "a store that fails": [{ count: 100, storeFailsAt: 3 }, "Error: the store"],
};

/** What is before its `transform` is left open if that ends early, or what is after it fails. */
const leftOpen: Record<string, readonly string[]> = {
  "streaming-iterables": [
    "an end on the way",
    "an end at once",
    "a price that fails",
    "a store that fails",
  ],
};

for (const [library, program] of Object.entries(others)) {
  for (const [name, [scene, failure]] of Object.entries(scenes)) {
    test(`orders give the same as with ${library}: ${name}`, async () => {
      const given = { maxItems: Number.MAX_SAFE_INTEGER, ...scene };
      const ours = await play(priceOrders, given);
      const theirs = await play(program, given);
      assertEquals(ours.isClosed, true);
      assertEquals(theirs.isClosed, !leftOpen[library]?.includes(name));
      if (failure === undefined) {
        return assertEquals([theirs.stored, theirs.ending], [ours.stored, ours.ending]);
      }
      for (const { ending } of [ours, theirs]) {
        assert((ending as [string])[0].startsWith(failure), String(ending));
      }
      // How much was stored before a failure is each library's own; what was is the same.
      const [fewer, more] = [ours.stored.flat(), theirs.stored.flat()]
        .sort((one, other) => one.length - other.length);
      assertEquals(more!.slice(0, fewer!.length), fewer);
    });
  }
}
