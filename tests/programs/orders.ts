import { batch, distinct, filter, flatMap, map, parallel, reduce, take } from "@hosepipe/streams";
import { costOf, type Item, type Order, type Orders } from "./_orders.ts";

/** Prices orders, three at a time, and stores the items of each order once, ten at a time. */
export const priceOrders: Orders = ({ source, price, store, maxItems }) =>
  reduce(
    source,
    filter((line: string) => line !== ""),
    map((line) => JSON.parse(line) as Order),
    distinct({ key: ({ id }) => id }),
    parallel(price, { concurrency: 3 }),
    flatMap((items) => items),
    take(maxItems),
    batch(10),
    async (sum: number, items: readonly Item[]) => {
      await store(items);
      return sum + costOf(items);
    },
    0,
  );
