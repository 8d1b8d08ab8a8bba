import { batch, filter, flatten, map, take, transform } from "streaming-iterables";
import { costOf, type Item, type Order, type Orders } from "./_orders.ts";

function isNew() {
  const known = new Set<number>();
  return ({ id }: Order) => !known.has(id) && Boolean(known.add(id));
}

/** Calls several at a time and keeps the order; `transform` gives what is ready first. */
async function* inOrder<T>(source: AsyncIterable<readonly [number, T]>): AsyncGenerator<T> {
  const waiting = new Map<number, T>();
  let next = 0;
  for await (const [index, value] of source) {
    waiting.set(index, value);
    while (waiting.has(next)) {
      yield waiting.get(next)!;
      waiting.delete(next++);
    }
  }
}

/** The same with streaming-iterables. */
export const priceOrders: Orders = async ({ source, price, store, maxItems }) => {
  const whole = filter((line: string) => line !== "", source);
  const orders = filter(isNew(), map((line) => JSON.parse(line) as Order, whole));
  let index = 0;
  const numbered = map((order) => [index++, order] as const, orders);
  const priced = transform(
    3,
    async ([index, order]) => [index, await price(order)] as const,
    numbered,
  );
  const items = flatten<Item>(inOrder(priced));
  let sum = 0;
  for await (const stored of batch(10, take(maxItems, items))) {
    await store(stored);
    sum += costOf(stored);
  }
  return sum;
};
