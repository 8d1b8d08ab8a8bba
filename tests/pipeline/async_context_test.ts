import { AsyncLocalStorage } from "node:async_hooks";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import {
  attempt,
  batch,
  channel,
  concat,
  expand,
  filter,
  flatMap,
  fuse,
  groupBy,
  hub,
  map,
  merge,
  parallel,
  pipeline,
  reader,
  retry,
  scan,
  tap,
  tee,
  toArray,
  writer,
} from "@hosepipe/streams";
import { Consumer, messages, perMessage, stored } from "@hosepipe/streams/queue";
import { from } from "../lib/from.ts";
import { MemoryQueue } from "../queue/_memory_queue.ts";
import { until } from "../lib/until.ts";
import { thisRuntime } from "../lib/this_runtime.ts";
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
  const answering = <T>(name: string, answer: T) => (): T => (note(name), answer);
  const slow = (name: string) => async (n: number) => {
    note(name);
    await later();
    return n;
  };
  await storage.run("run", async () => {
    await pipeline(
      numbers(),
      map(slow("map")),
      filter(answering("filter", true)),
      tap(answering("tap", 0)),
      scan((_, n) => answering("scan", n)(), 0),
      flatMap(async function* (n) {
        yield await slow("flatMap")(n);
      }),
      flatMap(answering("flatMap, several", [1]), { concurrency: 2 }),
      parallel(slow("parallel"), { concurrency: 2, key: answering("key of parallel", 1) }),
      attempt(slow("attempt")),
      expand(answering("expand", [] as number[])),
      groupBy(answering("key of groupBy", 1), () => map(slow("groupBy"))),
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
      writer(async (n: number) => void await slow("writer")(n), {
        close: () => note("close of writer"),
      }),
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

/** Sources of several branches, and what feeds them; each branch is read by a run of its own. */
const joints: Readonly<
  Record<string, (source: AsyncIterable<number> | Iterable<number>) => ReadableStream<number>[]>
> = {
  "tee": (source) => tee(source, 3),
  "tee, one after the other": (source) => tee(source, 3, { highWaterMark: Infinity }),
  "tee, in step": (source) => tee(source, 3, { highWaterMark: 0 }),
  "tee in merge": (source) => tee(source, 3).map((branch) => merge(branch)),
  "tee in concat": (source) => tee(source, 3).map((branch) => concat(branch, [])),
  "tee in peek": (source) => tee(source, 3).map((branch) => reader(branch)),
  "hub": (source) => {
    const joint = hub(source);
    return [joint.join(), joint.join(), joint.join()];
  },
};

for (const [name, divide] of Object.entries(joints)) {
  test(`${name}: each run calls its functions in its own store, whichever branch reads`, async () => {
    async function* slow() {
      for (let n = 0; n < 6; n++) {
        await turns(n % 3);
        yield n;
      }
    }
    async function* failing() {
      yield* slow();
      throw "why";
    }
    const sources = [() => [0, 1, 2, 3], slow, failing, () => from([0, 1, 2, 3])];
    for (const open of sources) {
      for (const waits of [0, 1]) {
        const { storage, note, found } = watchStores();
        const branches = storage.run("creator", () => divide(open() as AsyncIterable<number>));
        await Promise.allSettled(
          branches.map((branch, index) =>
            storage.run(`run ${index}`, () =>
              pipeline(
                branch,
                {
                  transform(n: number, controller: TransformStreamDefaultController<number>) {
                    note(`run ${index}`);
                    controller.enqueue(n);
                  },
                  flush: () => note(`run ${index}`),
                  cancel: () => note(`run ${index}`),
                },
                async (n) => {
                  note(`run ${index}`);
                  if (waits * index > 0) await turns((n + index) % 3);
                },
              ))
          ),
        );
        for (const [run, stores] of Object.entries(found())) assertEquals([run], stores);
      }
    }
  });
}

test("a writer is called in the store of the run, whoever has made it, and when", async () => {
  // Bun writes chunks that wait in a stream in no store.
  const marks = thisRuntime.name === "bun" ? [1] : [1, 4];
  for (const concurrency of [1, 3]) {
    for (const highWaterMark of marks) {
      for (const laterBy of [0, 1, 2, 3, 4]) {
        const { storage, note, found } = watchStores();
        const sink = storage.run("creator", () =>
          writer(async () => {
            note("write");
            await later();
          }, {
            concurrency,
            highWaterMark,
            close: () => note("close"),
            release: () => note("release"),
          }));
        for (let turn = 0; turn < laterBy; turn++) await undefined;
        await storage.run("run", () => pipeline([1, 2, 3, 4], sink));
        assertEquals(found(), { write: ["run"], close: ["run"], release: ["run"] });
      }
    }
  }
});

test("functions of a consumer's run are called in its store, whoever fills the queue", async () => {
  const { storage, note, found } = watchStores();
  const queue = new MemoryQueue(["1"]);
  const consumer = storage.run("creator", () => new Consumer<string>(queue, { retryDelayMs: 1 }));
  const source = storage.run("creator", () => messages(consumer));
  const running = storage.run("run", () =>
    pipeline(
      source,
      perMessage(map((body: string) => (note("map"), body))),
      stored(consumer, () => note("save"), { maxWaitMs: 0 }),
    ));
  await until(() => queue.entries.size === 0);
  await storage.run("sender", () => queue.send(["2", "3"]));
  await until(() => queue.entries.size === 0);
  consumer.stop();
  await running;
  assertEquals(found(), { map: ["run"], save: ["run"] });
});

test("what flushNow has a run call is called in the store of the run", async () => {
  const { storage, note, found } = watchStores();
  const input = channel<number>();
  const run = storage.run("run", () =>
    pipeline(
      input.readable,
      batch(10),
      map((numbers) => (note("map"), numbers)),
      writer(async () => {
        note("write");
        await later();
      }, { concurrency: 2 }),
    ));
  for (let n = 0; n < 6; n++) {
    await storage.run(`sender ${n}`, async () => {
      await input.send(n);
      if (n > 0) await turns(2);
      await Promise.all([input.flushNow(), input.flushNow()]);
    });
  }
  input.close();
  await run;
  assertEquals(found(), { map: ["run"], write: ["run"] });
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
