import { assertEquals } from "@std/assert";
import {
  attempt,
  batch,
  filter,
  flatMap,
  lines,
  map,
  merge,
  parallel,
  pipeline,
  take,
  toArray,
} from "@hosepipe/streams";
import type { ChaosContext, ChaosFault } from "@hosepipe/streams/testing";

/** Something that runs under chaos. */
export interface ChaosCase {
  readonly name: string;
  readonly faults?: readonly ChaosFault[];
  readonly run: (context: ChaosContext) => unknown;
}

/** One in which something is wrong under some schedules only. */
export interface PlantedRace extends ChaosCase {
  /** What is said of it. */
  readonly problem: RegExp;
  /** At most how many disturbances are left of it. */
  readonly steps: number;
}

const bytes = (text: string) => [new TextEncoder().encode(text)];

/** Races as they are written: each passes where nothing is late, cut or fails. */
export const plantedRaces: readonly PlantedRace[] = [
  {
    name: "a total that is read before a call and written after it",
    problem: /not equal/,
    steps: 2,
    async run({ source, sink, wrap }) {
      let total = 0;
      const price = wrap((item: number) => item);
      const add = parallel(async (item: number) => {
        const before = await Promise.resolve(total);
        await price(item);
        total = Math.max(total, before) + item;
        return item;
      }, { concurrency: 2 });
      await pipeline(source([1, 2, 3]), add, sink<number>((item) => void (total -= item)));
      assertEquals(total, 0);
    },
  },
  {
    name: "results in the order in which calls answer",
    problem: /not equal/,
    steps: 1,
    async run({ wrap }) {
      const found: number[] = [];
      const look = wrap((id: number) => id);
      await Promise.all([1, 2, 3].map(async (id) => void found.push(await look(id))));
      assertEquals(found, [1, 2, 3]);
    },
  },
  {
    name: "text that is decoded chunk by chunk",
    problem: /not equal/,
    steps: 1,
    async run({ source }) {
      const decoder = new TextDecoder();
      const parts = await toArray(
        source(bytes("a€b")),
        map((chunk: Uint8Array) => decoder.decode(chunk)),
      );
      assertEquals(parts.join(""), "a€b");
    },
  },
  {
    name: "lines that are split within each chunk",
    problem: /not equal/,
    steps: 1,
    async run({ source }) {
      const found = await toArray(
        source(bytes("one\r\ntwo")),
        flatMap((chunk: Uint8Array) => new TextDecoder().decode(chunk).split("\r\n")),
      );
      assertEquals(found, ["one", "two"]);
    },
  },
  {
    name: "a loop that waits for no write",
    problem: /the sink failed with .*, and it was fulfilled/,
    steps: 1,
    async run({ iterable, sink }) {
      const writer = sink<number>().getWriter();
      for await (const chunk of iterable([1, 2])) writer.write(chunk).catch(() => {});
      await writer.close().catch(() => {});
      await writer.closed.catch(() => {});
    },
  },
  {
    name: "a loop that leaves its source where a write fails",
    problem: /the source was neither read to its end nor cancelled/,
    steps: 1,
    async run({ source, sink }) {
      const reader = source([1, 2]).getReader();
      const writer = sink<number>().getWriter();
      writer.closed.catch(() => {});
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return await writer.close();
        await writer.write(value);
      }
    },
  },
  {
    name: "a loop that leaves its sink where a read fails",
    problem: /the sink was neither closed nor aborted/,
    steps: 1,
    async run({ iterable, sink }) {
      const writer = sink<number>().getWriter();
      writer.closed.catch(() => {});
      for await (const chunk of iterable([1, 2])) await writer.write(chunk);
      await writer.close();
    },
  },
  {
    name: "a listener that is removed only where the call succeeds",
    problem: /1 listeners of the signal were left/,
    steps: 1,
    async run({ signal, wrap }) {
      const stop = () => {};
      signal.addEventListener("abort", stop);
      await wrap(() => {})();
      signal.removeEventListener("abort", stop);
    },
  },
  {
    name: "a limit of time that is cleared only where the call succeeds",
    problem: /1 timers were left/,
    steps: 1,
    async run({ wrap }) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise((resolve) => timer = setTimeout(resolve, 60_000));
      await Promise.race([late, wrap(() => {})()]);
      clearTimeout(timer);
    },
  },
  {
    name: "a lock that is not given back where a call fails",
    problem: /it has not settled/,
    steps: 1,
    async run({ wrap }) {
      let last: Promise<void> = Promise.resolve();
      const save = wrap((n: number) => n);
      const locked = async (n: number) => {
        const before = last;
        let unlock!: () => void;
        last = new Promise((resolve) => unlock = resolve);
        await before;
        await save(n);
        unlock();
      };
      await Promise.allSettled([locked(1), locked(2)]);
    },
  },
  {
    name: "a refill that goes on after the end",
    problem: /after the end it went on: a read of the source/,
    steps: 2,
    async run({ iterable, wrap }) {
      const iterator = iterable([1, 2, 3])[Symbol.asyncIterator]();
      let refill = Promise.resolve(iterator.next());
      const use = wrap((n: number) => n);
      try {
        for (;;) {
          const { done, value } = await refill;
          if (done) return;
          refill = use(value).then(() => iterator.next());
          refill.catch(() => {});
          await use(value);
        }
      } finally {
        await iterator.return?.();
      }
    },
  },
];

/** Pipelines with which nothing is wrong under any schedule. */
export const rightPipelines: readonly ChaosCase[] = [
  {
    name: "a pipeline with a signal",
    async run({ source, sink, signal }) {
      const taken: number[] = [];
      await pipeline(
        source([1, 2, 3]),
        map((n: number) => n * 2),
        sink<number>((n) => void taken.push(n)),
        {
          signal,
        },
      );
      assertEquals(taken, [2, 4, 6]);
    },
  },
  {
    name: "an iterable to a function",
    async run({ iterable, signal, wrap }) {
      let sum = 0;
      const add = wrap((n: number) => void (sum += n));
      await pipeline(iterable([1, 2, 3]), filter((n: number) => n !== 2), add, { signal });
      assertEquals(sum, 4);
    },
  },
  {
    name: "ordered calls in parallel",
    async run({ source, sink, wrap, signal }) {
      const taken: number[] = [];
      const stage = parallel(wrap((n: number) => n), { concurrency: 3 });
      await pipeline(source([1, 2, 3, 4]), stage, sink<number>((n) => void taken.push(n)), {
        signal,
      });
      assertEquals(taken, [1, 2, 3, 4]);
    },
  },
  {
    name: "lines of bytes",
    async run({ source }) {
      assertEquals(await toArray(source(bytes("ä\r\n€\nz")), lines()), ["ä", "€", "z"]);
    },
  },
  {
    name: "an early end",
    async run({ iterable }) {
      assertEquals(await toArray(iterable([1, 2, 3]), take<number>(2)), [1, 2]);
    },
  },
  {
    name: "batches",
    async run({ source, sink }) {
      let count = 0;
      await pipeline(
        source([1, 2, 3, 4, 5]),
        batch<number>(2),
        sink<number[]>((all) => void (count += all.length)),
      );
      assertEquals(count, 5);
    },
  },
  {
    name: "two sources merged",
    async run({ source, iterable, sink }) {
      const taken: number[] = [];
      await pipeline(
        merge(source([1, 2]), iterable([3, 4])),
        sink<number>((n) => void taken.push(n)),
      );
      assertEquals(taken.sort(), [1, 2, 3, 4]);
    },
  },
  {
    name: "a call that is tried again",
    faults: ["call", "source", "abort"],
    async run({ source, wrap }) {
      const save = attempt(wrap((n: number) => n), { attempts: 5, delayMs: 10 });
      assertEquals(await toArray(source([1, 2]), save), [1, 2]);
    },
  },
  {
    name: "a loop by hand that ends both ends",
    async run({ source, sink }) {
      const reader = source([1, 2]).getReader();
      const writer = sink<number>().getWriter();
      writer.closed.catch(() => {});
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          await writer.write(value);
        }
        await writer.close();
      } catch (reason) {
        await Promise.allSettled([reader.cancel(reason), writer.abort(reason)]);
        throw reason;
      }
    },
  },
  {
    name: "an error that says more, with what failed as its cause",
    async run({ source, sink }) {
      await pipeline(source([1]), sink()).catch((cause) => {
        throw new Error("Cannot copy", { cause });
      });
    },
  },
  { name: "nothing at all", run: () => undefined },
];
