import { AsyncLocalStorage } from "node:async_hooks";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  attempt,
  expand,
  filter,
  flatMap,
  fuse,
  groupBy,
  map,
  merge,
  parallel,
  pipeline,
  retry,
  scan,
  tap,
  toArray,
  writer,
} from "@hosepipe/streams";
import { turns } from "../lib/turns.ts";

/** In which store each function was called. */
function watchStores() {
  const storage = new AsyncLocalStorage<string>();
  const stores = new Map<string, Set<string | undefined>>();
  const note = (name: string): void => {
    const known = stores.get(name);
    if (known === undefined) stores.set(name, new Set([storage.getStore()]));
    else known.add(storage.getStore());
  };
  const found = () => Object.fromEntries([...stores].map(([name, set]) => [name, [...set]]));
  return { storage, note, found };
}

const later = () => turns(1);

test("functions that a run calls are called in its store, from the first chunk to the end", async () => {
  const { storage, note, found } = watchStores();
  const numbers = () => {
    let n = 0;
    return {
      [Symbol.asyncIterator]: () => ({
        async next() {
          note("next");
          await later();
          return n < 4 ? { done: false, value: n++ } : { done: true, value: undefined };
        },
      }),
    } as AsyncIterable<number>;
  };
  await storage.run("run", async () => {
    await pipeline(
      numbers(),
      map(async (n) => {
        note("map");
        await later();
        return n;
      }),
      filter(() => (note("filter"), true)),
      tap(() => note("tap")),
      scan((_, n) => (note("scan"), n), 0),
      flatMap(async function* (n) {
        note("flatMap");
        yield n;
      }),
      flatMap((n) => (note("flatMap, several"), [n]), { concurrency: 2 }),
      parallel(async (n) => {
        note("parallel");
        await later();
        return n;
      }, { concurrency: 2, key: () => (note("key of parallel"), 1) }),
      attempt(async (n: number) => {
        note("attempt");
        await later();
        return n;
      }),
      expand((_: number): number[] => (note("expand"), [])),
      groupBy(() => (note("key of groupBy"), 1), () => map((n: number) => (note("groupBy"), n))),
      {
        start: () => note("start"),
        transform(n: number, controller: TransformStreamDefaultController<number>) {
          note("transform");
          controller.enqueue(n);
        },
        flush: () => note("flush"),
      },
      async function* (source: AsyncIterable<number>) {
        for await (const n of source) {
          note("generator");
          yield n;
        }
      },
      writer(async () => {
        note("writer");
        await later();
      }, { close: () => note("close of writer") }),
    );
    const sink = new WritableStream({
      start: () => note("start of a sink"),
      write: () => note("write"),
      close: () => note("close"),
    });
    await pipeline(merge(numbers(), retry(() => (note("retry"), numbers()))), sink);
    await pipeline(numbers(), () => note("sink"));
  });
  const all = found();
  assertEquals(Object.keys(all).length, 24);
  for (const [name, stores] of Object.entries(all)) assertEquals([name, stores], [name, ["run"]]);
});

test("functions of fuse are called in the store of what lets a chunk pass: a write, a read, or the start, as natively", async () => {
  for (const count of [1, 3]) {
    const { storage, note, found } = watchStores();
    const stages = Array.from({ length: count }, () =>
      map((n: number) => {
        note(`chunk ${n}`);
        return n;
      }));
    const pair = storage.run("creator", () => fuse(...stages as [typeof stages[0]]));
    const read = storage.run("reader", () => toArray(pair.readable));
    await storage.run("writer", async () => {
      const sender = pair.writable.getWriter();
      for (let n = 0; n < 4; n++) await sender.write(n);
      await sender.close();
    });
    await read;
    for (const [store] of Object.values(found())) {
      assertEquals(["creator", "reader", "writer"].includes(store!), true, store);
    }
    assertEquals(Object.keys(found()).length, 4);
  }
});
