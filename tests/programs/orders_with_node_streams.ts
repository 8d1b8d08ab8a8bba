import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { costOf, type Item, type Order, type Orders } from "./_orders.ts";

function isNew() {
  const known = new Set<number>();
  return ({ id }: Order) => !known.has(id) && Boolean(known.add(id));
}

/** Gathers ten items; those that are left at the end are a batch, too. */
function batches(): Transform {
  let items: Item[] = [];
  return new Transform({
    objectMode: true,
    transform(item, _, done) {
      items.push(item);
      if (items.length === 10) {
        this.push(items);
        items = [];
      }
      done();
    },
    flush(done) {
      if (items.length > 0) this.push(items);
      done();
    },
  });
}

/** The same with the operators of Node's streams. */
export const priceOrders: Orders = async ({ source, price, store, maxItems }) => {
  let sum = 0;
  const items = Readable.from(source)
    .filter((line: string) => line !== "")
    .map((line: string) => JSON.parse(line) as Order)
    .filter(isNew())
    .map(price, { concurrency: 3 })
    .flatMap((items: readonly Item[]) => Readable.from(items))
    .take(maxItems);
  const sink = new Writable({
    objectMode: true,
    write(items: Item[], _, done) {
      store(items).then(() => {
        sum += costOf(items);
        done();
      }, done);
    },
  });
  await pipeline(items, batches(), sink);
  return sum;
};
