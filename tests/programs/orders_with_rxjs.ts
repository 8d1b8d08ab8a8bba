import {
  bufferCount,
  concatMap,
  filter,
  lastValueFrom,
  map,
  mergeAll,
  mergeMap,
  Observable,
  reduce,
  take,
} from "rxjs";
import { costOf, type Item, type Order, type Orders } from "./_orders.ts";

/** An observable that does not read on before `done` was called for what it gave: RxJS has none. */
function onDemand<T>(source: AsyncIterable<T>, most: number) {
  let open = 0;
  let wake = () => {};
  const done = () => {
    open--;
    wake();
  };
  const values = new Observable<T>((subscriber) => {
    const run = async () => {
      for await (const value of source) {
        if (subscriber.closed) return;
        open++;
        subscriber.next(value);
        while (open >= most && !subscriber.closed) {
          await new Promise<void>((resolve) => void (wake = resolve));
        }
        if (subscriber.closed) return;
      }
      subscriber.complete();
    };
    run().catch((reason) => subscriber.error(reason));
    return () => wake();
  });
  return { values, done };
}

/** Calls several at a time and keeps the order; `mergeMap` gives what is ready first. */
function inOrder<I, O>(fn: (value: I) => Promise<O>, concurrency: number) {
  return (source: Observable<I>) =>
    new Observable<O>((subscriber) => {
      const waiting = new Map<number, O>();
      let next = 0;
      return source.pipe(
        mergeMap(async (value, index) => [index, await fn(value)] as const, concurrency),
      ).subscribe({
        next([index, value]) {
          waiting.set(index, value);
          while (waiting.has(next)) {
            subscriber.next(waiting.get(next)!);
            waiting.delete(next++);
          }
        },
        error: (reason) => subscriber.error(reason),
        complete: () => subscriber.complete(),
      });
    });
}

/** The same with RxJS. */
export const priceOrders: Orders = ({ source, price, store, maxItems }) => {
  const { values, done } = onDemand(source, 3);
  const items = values.pipe(
    filter((line) => {
      if (line === "") done();
      return line !== "";
    }),
    map((line) => JSON.parse(line) as Order),
    filter(isNew(done)),
    inOrder(price, 3),
    map((items) => {
      done();
      return items;
    }),
    mergeAll(),
  );
  return lastValueFrom(
    items.pipe(
      take(maxItems),
      bufferCount(10),
      concatMap(async (items: Item[]) => {
        await store(items);
        return costOf(items);
      }),
      reduce((sum, cost) => sum + cost, 0),
    ),
  );
};

/** `distinct`, which says what it leaves out. */
function isNew(onKnown: () => void) {
  const known = new Set<number>();
  return ({ id }: Order) => {
    if (!known.has(id)) return Boolean(known.add(id));
    onKnown();
    return false;
  };
}
