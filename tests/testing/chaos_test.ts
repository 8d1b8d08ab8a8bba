import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  attempt,
  filter,
  lines,
  map,
  merge,
  parallel,
  pipeline,
  take,
  toArray,
} from "@hosepipe/streams";
import {
  chaos,
  type ChaosContext,
  type ChaosFault,
  type ChaosOptions,
  virtualTime,
} from "@hosepipe/streams/testing";
import { test } from "node:test";
import fastCheck from "fast-check";
import { startScript } from "../lib/start_script.ts";

/** Something that runs under chaos. */
interface ChaosCase {
  readonly name: string;
  readonly faults?: readonly ChaosFault[];
  readonly run: (context: ChaosContext) => unknown;
}

/** One in which something is wrong under some schedules only. */
interface PlantedRace extends ChaosCase {
  /** What is said of it. */
  readonly problem: RegExp;
  /** At most how many disturbances are left of it. */
  readonly steps: number;
}

const bytes = (text: string) => [new TextEncoder().encode(text)];

/** Races as they are written: each passes where nothing is late, cut or fails. */
const plantedRaces: readonly PlantedRace[] = [
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
const rightPipelines: readonly ChaosCase[] = [
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
    name: "an early end",
    async run({ iterable }) {
      assertEquals(await toArray(iterable([1, 2, 3]), take<number>(2)), [1, 2]);
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

test("chaos() takes a source that was cancelled while its next chunk was to fail for cancelled", async () => {
  const { failed } = await chaos(async ({ source, sink, signal }) => {
    const bytes = source([new TextEncoder().encode("ä\r\n€\nz")]);
    await pipeline(bytes, lines(), sink<string>(() => {}), { signal });
  }, { schedule: [0, 0, 0, 0, 9, 7] });
  assertEquals(failed, undefined);
});

for (const { name, problem, steps, run } of plantedRaces) {
  test(`chaos() finds ${name}, small, and runs it again`, async () => {
    assertEquals((await chaos(run, { schedule: [] })).failed, undefined, "nothing disturbs it");
    const result = await chaos(run, { fastCheck, runs: 1_000, seed: 7 });
    const { failed } = result;
    if (failed === undefined) throw new Error("nothing was found");
    assert(problem.test(failed.problem), failed.problem);
    assert(failed.steps.length <= steps, failed.steps.join("\n"));
    assert(result.runs <= 1_000);
    for (let time = 0; time < 2; time++) {
      const again = await chaos(run, { schedule: failed.schedule });
      assertEquals(again.failed?.problem, failed.problem);
      assertEquals(again.failed?.steps, failed.steps);
      assertEquals(again.failed?.schedule, failed.schedule);
    }
  });
}

test("chaos() finds two calls of which the second is waited for after the first", async () => {
  const { stdout } = await startScript("tests/testing/_unhandled_program.ts", ["race"]).ended;
  const { problem, steps } = JSON.parse(stdout);
  assertStringIncludes(problem, "was handled nowhere");
  assert(steps.length <= 2, steps.join("\n"));
});

for (const { name, run, faults } of rightPipelines) {
  test(`chaos() finds nothing wrong with ${name}`, async () => {
    const result = await chaos(run, { fastCheck, runs: 150, seed: 11, faults });
    assertEquals(result.failed, undefined);
    assertEquals([result.runs, result.seed], [150, 11]);
    result.throwIfFailed();
  });
}

test("chaos() says what was wrong, each disturbance, the seed, and a script that runs", async () => {
  const { run } = plantedRaces[3]!;
  const result = await chaos(run, { fastCheck, runs: 500, seed: 3 });
  const error = assertThrows(() => result.throwIfFailed(), Error, "The pipeline fails under chaos");
  assertStringIncludes(error.message, "runs with seed 3: the sink failed with");
  assertStringIncludes(
    error.message,
    "To run it again:\n  const result = await chaos(fn, { schedule: [",
  );
  const script = new Function(
    "chaos",
    "fn",
    `return (async () => {\n${result.failed!.script}\n})()`,
  );
  const again = await assertRejects<Error>(
    () => script(chaos, run),
    Error,
    "under chaos: the sink",
  );
  assertStringIncludes(again.message, result.failed!.steps[0]!);
});

test("chaos() gives the same failure for the same seed", async () => {
  const { run } = plantedRaces[0]!;
  const options = { fastCheck, runs: 300, seed: 42 };
  const [one, other] = [await chaos(run, options), await chaos(run, options)];
  assertEquals(one.runs, other.runs);
  assertEquals(one.failed!.steps, other.failed!.steps);
  assertEquals(one.failed!.script, other.failed!.script);
});

test("chaos() reports what fails without any disturbance, thrown at once or later, undefined too", async () => {
  for (const thrown of [new Error("mine"), undefined]) {
    const runs = [
      () => {
        throw thrown;
      },
      () => Promise.reject(thrown),
    ];
    for (const run of runs) {
      const { failed, seed } = await chaos(run, { fastCheck });
      assertEquals([failed?.schedule, failed?.error, seed], [[], thrown, undefined]);
      assertStringIncludes(failed!.problem, "it failed with");
    }
  }
});

test("chaos() injects only the faults it is asked for", async () => {
  const seen = new Set<unknown>();
  await chaos(async ({ source, sink, wrap, signal }) => {
    try {
      for await (const chunk of source([1, 2, 3])) await wrap((n: number) => n)(chunk);
      const writer = sink().getWriter();
      await writer.write(1);
      await writer.close();
    } catch (reason) {
      seen.add(reason instanceof Error ? reason.message : reason);
    }
    if (signal.aborted) seen.add("aborted");
  }, { fastCheck, runs: 200, seed: 5, faults: [] });
  assertEquals(seen, new Set());
});

test("chaos() refuses wrong options, and a time that is virtual already", async () => {
  const run = () => {};
  const wrong: [options: ChaosOptions, type: typeof TypeError | typeof RangeError, text: string][] =
    [
      [
        {},
        TypeError,
        "fastCheck must be the module fast-check, as in chaos(fn, { fastCheck }), got undefined",
      ],
      [{ fastCheck: {} as never }, TypeError, "got one without array"],
      [{ fastCheck, runs: 0 }, RangeError, "runs must be a positive integer, got 0"],
      [{ fastCheck, runs: "9" as never }, TypeError, "runs must be a positive integer, got"],
      [{ fastCheck, seed: 1.5 }, RangeError, "seed must be an integer, got 1.5"],
      [{ fastCheck, seed: null as never }, TypeError, "seed must be an integer, got null"],
      [{ schedule: [10] }, RangeError, "a number of schedule must be at most 9, got 10"],
      [{ schedule: [-1] }, RangeError, "a number of schedule must be a non-negative integer"],
      [{ schedule: "0" as never }, TypeError, "schedule must be an array"],
      [
        { fastCheck, faults: ["crash" as never] },
        TypeError,
        "faults must be of abort, call, sink, source",
      ],
      [{ fastCheck, io: 1 as never }, TypeError, "io must be a boolean, got 1"],
      [{ fastCheck, run: 5 } as never, TypeError, 'did you mean "runs"?'],
    ];
  for (const [options, type, text] of wrong) {
    const error = await assertRejects(() => chaos(run, options), type, "Cannot run chaos: ");
    assertStringIncludes(error.message, text);
  }
  await assertRejects(
    () => chaos(5 as never),
    TypeError,
    "Cannot run chaos: fn must be a function",
  );
  const time = virtualTime();
  try {
    await assertRejects(() => chaos(run, { fastCheck }), Error, "it is virtual already");
  } finally {
    time.restore();
  }
  assertEquals((await chaos(run, { fastCheck, runs: 3 })).failed, undefined, "nothing was left");
});
