import { assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import {
  attempt,
  compose,
  filter,
  flatMap,
  fuse,
  map,
  parallel,
  pipeline,
  reader,
  scan,
  stage,
  takeWhile,
  tap,
  toArray,
  writer,
} from "@hosepipe/streams";
import { type Probe, probe, type ProbeEvent, type ProbeOutput } from "@hosepipe/streams/inspect";
import { assertConserved, HandQueue } from "./_by_hand.ts";
import { turns } from "../lib/turns.ts";
import { errorOf } from "../lib/error_of.ts";
import type { Stage } from "../lib/operator.ts";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";

const settle = () => turns(20);

/** Gives 0, 1 and so on. */
function numbers(count: number): UnderlyingDefaultSource<number> {
  let given = 0;
  return {
    pull(controller) {
      if (given < count) controller.enqueue(given++);
      else controller.close();
    },
  };
}

function names(events: readonly ProbeEvent[], stage: string): string[] {
  return events.filter((event) => event.stage === stage).map(({ event }) => event);
}

test("native: all four buffers are seen at standstill, and every event conserves chunks", async () => {
  for (const highWaterMark of [1, 2, 5]) {
    const look = probe();
    const strategy = { highWaterMark };
    const stall = Promise.withResolvers<void>();
    const piped = new ReadableStream(look.reader(numbers(50), { strategy }), strategy)
      .pipeThrough(
        new TransformStream(
          look.transformer<number, number>({}, { writableStrategy: strategy }),
          strategy,
          strategy,
        ),
      )
      .pipeTo(
        new WritableStream(
          look.writer({ write: () => stall.promise }, { strategy }),
          strategy,
        ),
      );
    await settle();
    // The chunk that is being written keeps its place in the sink's queue.
    assertEquals(look.occupancy(), {
      readerOut: highWaterMark,
      transformerIn: highWaterMark,
      transforming: 0,
      transformerOut: highWaterMark,
      writerIn: highWaterMark - 1,
      writing: 1,
      written: 0,
    });
    stall.resolve();
    await piped;
    assertEquals(look.occupancy().written, 50);
    assertEquals(assertConserved(look.events()), 50);
  }
});

test("a source without any room is asked to pause when its chunk has gone on, and none waits", async () => {
  const look = probe();
  const strategy = { highWaterMark: 0 };
  const source = look.reader<number>({
    pull: (controller) => controller.enqueue(1),
  }, { strategy });
  const reader = new ReadableStream(source, strategy).getReader();
  await reader.read();
  assertEquals(look.events().map(({ event, occupancy }) => [event, occupancy.readerOut]), [
    ["read", 1],
    ["backpressure", 0],
  ]);
  await reader.cancel();
});

test("a queue that was full when it was closed is empty once the next stage has begun its chunk", async () => {
  const look = probe();
  const stage = look.transformer<number, number>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      controller.terminate();
    },
  });
  const strategy = { highWaterMark: 1 };
  const { readable, writable } = new TransformStream(stage, strategy, strategy);
  const sink = look.writer<number>({ write() {} }) as Required<UnderlyingSink<number>>;
  const out = () => [look.occupancy().transformerOut, look.buffers()[1]!.count];
  const writer = writable.getWriter();
  await writer.write(1).catch(() => {});
  assertEquals(out(), [1, 1]);
  const reader = readable.getReader();
  const { value } = await reader.read();
  await sink.write(value!, undefined as never);
  assertEquals(out(), [0, 0]);
  assertEquals((await reader.read()).done, true);
  await writer.closed.catch(() => {});
  assertEquals(out(), [0, 0]);
});

test("pipeline: sync and async iterables, streams, any stage, a function", async () => {
  const sources = () => [
    [1, 2, 3],
    async function* () {
      yield* [1, 2, 3];
    }(),
    ReadableStream.from([1, 2, 3]),
    [Promise.resolve(1), 2, 3] as number[],
  ];
  for (let index = 0; index < sources().length; index++) {
    const look = probe();
    const written: number[] = [];
    const result = await pipeline(
      look.reader(sources()[index]! as Iterable<number>),
      look.transformer(flatMap((n: number) => [n, n])),
      look.writer(async (n: number) => {
        await Promise.resolve();
        written.push(n);
      }),
    );
    assertEquals(written, [1, 1, 2, 2, 3, 3]);
    assertEquals([result.chunksRead, result.chunksWritten], [3, 6]);
    const { written: count, ...rest } = look.occupancy();
    assertEquals([count, ...Object.values(rest)], [6, 0, 0, 0, 0, 0, 0]);
    assertEquals(names(look.events(), "reader").at(-1), "end");
  }
});

test("reader and writer: a batch function, writes in flight, close", async () => {
  const look = probe({ identify: String });
  const batches = [[1, 2, 3], [4], null];
  let most = 0;
  const sink = look.writer<number>({
    async write() {
      most = Math.max(most, look.occupancy().writing);
      await settle();
    },
  });
  await reader(look.reader(() => batches.shift())).pipeTo(
    writer(sink.write, { concurrency: 3, close: sink.close }),
  );
  assertEquals(most, 3);
  assertEquals(
    look.events().filter(({ event }) => event === "read").map(({ id }) => id),
    ["1", "2", "3", "4"],
  );
  assertEquals(look.events().at(-1)!.event, "final");
});

test("controller.error() and terminate() are events", async () => {
  const look = probe();
  const terminated = new ReadableStream(look.reader(numbers(9))).pipeThrough(
    new TransformStream(look.transformer<number, number>({
      transform: (_, controller) => controller.terminate(),
    })),
  );
  assertEquals(await Array.fromAsync(terminated), []);
  assertEquals(names(look.events(), "transformer"), ["transform", "final"]);

  const other = probe();
  const failed = new ReadableStream(other.reader({ start: (c) => c.error("why") }));
  await assertRejects(() => failed.getReader().read().catch((e) => Promise.reject(Error(e))));
  assertEquals(other.events().map(({ event, reason }) => [event, reason]), [["error", "why"]]);
});

/** Where the chunks are, and how many wait in each buffer. */
function places(look: ProbeOutput): [occupancy: number[], buffers: (number | undefined)[]] {
  return [Object.values(look.occupancy()), look.buffers().map(({ count }) => count)];
}

test("what a failure or an early end finds waiting is nowhere, and a failed write not written", async () => {
  for (const end of ["write", "terminate"]) {
    const look = probe();
    const strategy = { highWaterMark: 9 };
    const stage = new TransformStream(
      look.transformer<number, number>({
        transform(n, controller) {
          if (end === "terminate" && n === 1) controller.terminate();
          else controller.enqueue(n);
        },
      }, { writableStrategy: strategy, readableStrategy: strategy }),
      strategy,
      strategy,
    );
    const write = async (n: number) => {
      await settle();
      if (end === "write" && n === 1) throw "full";
    };
    const sink = new WritableStream(look.writer<number>({ write }, { strategy }), strategy);
    await new ReadableStream(look.reader(numbers(5))).pipeThrough(stage).pipeTo(sink)
      .catch(() => {});
    await settle();
    assertEquals(places(look), [[0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0]], end);
    assertEquals(look.events().at(-1)!.occupancy.written, 1);
  }
});

test("a second source or sink, a stage used twice, and what is no stage are refused", () => {
  const look = probe();
  const source = look.reader(numbers(1));
  look.writer({});
  const message = "the probe already has one";
  assertThrows(() => look.reader([1]), TypeError, `Cannot probe reader: ${message}`);
  assertThrows(() => look.writer(() => {}), TypeError, `Cannot probe writer: ${message}`);
  new ReadableStream(source);
  assertThrows(() => new ReadableStream(source), TypeError, "serves one stream");
  const stage = look.transformer({});
  new TransformStream(stage);
  assertThrows(
    () => new TransformStream(stage),
    TypeError,
    "a probed transformer serves one stream",
  );
  const sink = probe().writer({});
  new WritableStream(sink);
  assertThrows(() => new WritableStream(sink), TypeError, "a probed writer serves one stream");
  assertThrows(() => probe().reader(5 as never), TypeError, "must be an object or a function");
  assertThrows(() => probe().writer(new WritableStream()), TypeError, "an underlying sink");
  assertThrows(() => look.transformer({}, { nme: "x" } as never), TypeError, 'option "nme"');
  assertThrows(() => probe({ capacity: -1 }), RangeError, "capacity must be a non-negative");
  assertThrows(() => probe({ onEvent: 5 as never }), TypeError, "onEvent must be a function");
});

const methods = {
  reader: ["start", "pull", "cancel"],
  transformer: ["start", "transform", "flush", "cancel"],
  writer: ["start", "write", "close", "abort"],
} as const;

/** What a method does, by what it answers with `reason`. */
const outcomes: Readonly<Record<string, (reason: unknown) => unknown>> = {
  returns: (reason) => reason,
  throws(reason) {
    throw reason;
  },
  promises: (reason) => turns(1).then(() => reason),
  rejects: (reason) => turns(1).then(() => Promise.reject(reason)),
};

for (const [kind, names] of Object.entries(methods)) {
  test(`a probed ${kind} calls each method on its owner, answers what that does, and its failure is an event`, async () => {
    for (const name of names) {
      for (const [outcome, answer] of Object.entries(outcomes)) {
        for (const reason of [new Error("why"), undefined]) {
          const calls: unknown[] = [];
          const part = {
            [name](this: unknown, first: unknown) {
              calls.push([this === part, first === "first"]);
              return answer(reason);
            },
          };
          const look = probe();
          const probed = look[kind as "writer"](part as never) as unknown as Record<
            string,
            (...args: unknown[]) => unknown
          >;
          const queue = new HandQueue(1);
          if (name !== "start") probed.start!(queue);
          const isGiven = /transform|write|cancel|abort/.test(name);
          const [found] = await errorOf((async () => {
            const result = probed[name]!(...isGiven ? ["first"] : [], queue);
            assertEquals(result instanceof Promise, /promises|rejects/.test(outcome));
            // What a write or a start answers is of no use to a stream, but to a program.
            assertStrictEquals(await result, reason);
            throw "none";
          })());
          const fails = /throws|rejects/.test(outcome);
          assertStrictEquals(found, fails ? reason : "none", `${name} ${outcome}`);
          assertEquals(calls, [[true, isGiven]]);
          const events = look.events().map(({ event, reason }) => [event, reason]);
          const failure = events.filter(([event]) => event === "error" || event === "cancel");
          assertEquals(
            failure,
            /cancel|abort/.test(name)
              ? [["cancel", "first"]]
              : fails
              ? [["error", String(reason)]]
              : [],
            `${name} ${outcome}`,
          );
        }
      }
    }
  });
}

test("a probed transformer has a type only where its own has one, since WebKit refuses any", () => {
  const typesOf = (transformer: object) => {
    const probed = probe().transformer(transformer as never);
    return ["readableType", "writableType"].filter((name) => name in probed);
  };
  assertEquals(typesOf({ transform() {} }), []);
  assertEquals(typesOf(map((n: number) => n)), []);
  assertEquals(typesOf({ readableType: undefined }), ["readableType"]);
  const typed = probe().transformer({ writableType: "bytes" } as never);
  assertThrows(() => new TransformStream(typed), RangeError);
});

test("methods that are taken from a probed controller throw as those of a bare one", () => {
  const start = (
    controller: ReadableStreamDefaultController | TransformStreamDefaultController,
  ) => {
    const { enqueue } = controller;
    enqueue(1);
  };
  const source = probe().reader({ start });
  assertThrows(() => new ReadableStream(source as UnderlyingDefaultSource), TypeError);
  assertThrows(() => new TransformStream(probe().transformer({ start })), TypeError);
});

test("a probed generator that a flush gives its last chunk has none in hand at the end", async () => {
  for (const chunks of [[], [1]]) {
    const look = probe();
    const adds = look.transformer({
      async transform(chunk: number, controller: TransformStreamDefaultController<number>) {
        await controller.enqueue(chunk);
      },
      flush: (controller: TransformStreamDefaultController<number>) => controller.enqueue(2),
    });
    const takes = look.transformer(stage(async function* (source: AsyncIterable<number>) {
      for await (const chunk of source) if (chunk > 2) yield chunk;
    }));
    await pipeline(chunks, adds, takes, () => {});
    assertEquals(look.occupancy().transforming, 0, `${chunks}`);
  }
});

test("a probed iterable is read once, sync or not", async () => {
  const message = "Cannot iterate: a probed reader is read once, wrap it again";
  const sync = probe().reader([1, 2]);
  assertEquals([...sync], [1, 2]);
  assertThrows(() => [...sync], TypeError, message);

  const numbers = (async function* () {
    yield 1;
  })();
  const late = probe().reader(numbers);
  assertEquals(await Array.fromAsync(late), [1]);
  assertThrows(() => late[Symbol.asyncIterator](), TypeError, message);
});

test("a probed iterator is closed with what it was left for, and answers what it would have", () => {
  const returned: unknown[] = [];
  const look = probe();
  const iterable = look.reader({
    [Symbol.iterator]: () => ({
      next: () => ({ done: false, value: 1 }),
      return(reason?: unknown) {
        returned.push(reason);
        return { done: true as const, value: "closed" as never };
      },
    }),
  });
  const iterator = iterable[Symbol.iterator]();
  const { done, value } = iterator.next();
  assertEquals([done, value], [false, 1]);
  assertEquals(iterator.return!("why"), { done: true, value: "closed" as never });
  assertEquals(returned, ["why"]);
  assertEquals(look.events().map(({ event, reason }) => [event, reason]), [
    ["read", undefined],
    ["cancel", "why"],
  ]);

  const bareLook = probe();
  const bare = bareLook.reader({
    [Symbol.iterator]: () => ({ next: () => ({ done: true as const, value: undefined }) }),
  })[Symbol.iterator]();
  assertEquals(bare.return, undefined);
  assertEquals(bareLook.events().map(({ event }) => event), ["cancel"]);
});

test("a probed function's batches are counted chunk by chunk, as one the answer is", async () => {
  for (const isLate of [false, true]) {
    const batches: (number[] | null)[] = [[1, 2], [], [3], null];
    const look = probe();
    const source = look.reader(() => {
      const batch = batches.shift()!;
      return isLate ? Promise.resolve(batch) : batch;
    });
    assertEquals(await Array.fromAsync(reader(source)), [1, 2, 3]);
    const names = look.events().map(({ event }) => event).filter((name) => name !== "drain");
    assertEquals(names, ["read", "read", "read", "end"]);
  }
});

test("what a probed iterable promises is read when it is there, and fails as it would", async () => {
  const reason = new Error("late");
  const look = probe();
  const rejected = Promise.reject(reason);
  // The run may get to it only after a turn of the event loop.
  rejected.catch(() => {});
  const promises = [Promise.resolve(1), rejected];
  const written: unknown[] = [];
  const run = pipeline(look.reader(promises), (chunk: unknown) => void written.push(chunk));
  assertStrictEquals((await errorOf(run) as [unknown])[0], reason);
  assertEquals(written, [1]);
  const failure = look.events().find(({ event }) => event === "error");
  assertEquals(failure?.reason, "Error: late");
});

test("what a probed function answers that is no batch is passed on as it is, and is no chunk", async () => {
  const bytes = new Uint8Array(2);
  for (const other of ["ab", bytes, 5, { length: 1 }, true]) {
    for (const isLate of [false, true]) {
      const look = probe();
      const source = look.reader((() => isLate ? Promise.resolve(other) : other) as never);
      assertEquals(await (source as () => unknown)() === other, true);
      assertEquals(look.events(), []);
    }
  }
});

type Way = (source: ReadableStream<number>, stage: Stage, sink: WritableStream) => Promise<unknown>;

const ways: Readonly<Record<string, Way>> = {
  pipeline: (source, stage, sink) => pipeline(source, stage, sink),
  fuse: (source, stage, sink) => source.pipeThrough(fuse(stage)).pipeTo(sink),
  native: (source, stage, sink) => source.pipeThrough(new TransformStream(stage)).pipeTo(sink),
};

/** Stages of which the call with the chunk 0 hangs until a gate opens, with how many of so many chunks they hold then. */
const holding: Readonly<
  Record<string, [held: number, of: number, make: (gate: Promise<void>) => object]>
> = {
  "calls in flight and results that wait, up to the window of parallel": [4, 9, ordered],
  "the calls in flight of parallel without an order": [
    1,
    5,
    (gate) =>
      parallel((n: number) => n === 0 ? gate.then(() => n) : n, { concurrency: 2, ordered: false }),
  ],
  "what parallel holds where attempt tries its calls again, and drops what that skips": [
    ...[3, 6] as const,
    (gate) => {
      const fussy = async (n: number) => {
        if (n === 0) await gate;
        if (n === 2) throw new Error("bad");
        return n;
      };
      const calls = parallel(fussy, { concurrency: 2, window: 3 });
      return attempt(calls, { attempts: 1, onError: () => "skip" });
    },
  ],
  // The first map has made one more meanwhile.
  "what parallel holds within a composition": [
    5,
    9,
    (gate) => compose(map((n: number) => n), ordered(gate), map((n: number) => n)),
  ],
};

function ordered(gate: Promise<void>): Transformer<number, number> {
  const options = { concurrency: 2, window: 4 };
  return parallel((n: number) => n === 0 ? gate.then(() => n) : n, options);
}

for (const [name, way] of Object.entries(ways)) {
  for (const [what, [held, length, make]] of Object.entries(holding)) {
    // Natively what is inside a composition is in streams of its own.
    if (name === "native" && what.includes("composition")) continue;
    test(`${name}: a probe counts ${what}`, async () => {
      const look = probe();
      const gate = Promise.withResolvers<void>();
      const got: unknown[] = [];
      const running = way(
        new ReadableStream(look.reader(numbers(length))),
        look.transformer(make(gate.promise) as Stage),
        new WritableStream(look.writer({ write: (chunk: unknown) => void got.push(chunk) })),
      );
      await turns();
      assertEquals(look.events().at(-1)!.occupancy.transforming, held);
      gate.resolve();
      await running;
      const skips = what.includes("skips");
      const expected = Array.from({ length }, (_, n) => n).filter((n) => !skips || n !== 2);
      assertEquals((got as number[]).toSorted(), expected);
      if (skips) assertEquals(look.events().at(-1)!.occupancy.transforming, 0);
      else assertEquals(assertConserved(look.events()), length);
    });
  }
}

type NumberStage = Transformer<number, number>;
type Random = () => number;

/** Stages whose function is called once with each chunk. */
const makers: readonly ((call: (n: number) => void, random: Random) => NumberStage)[] = [
  (call) => map((n: number) => (call(n), n + 1)),
  (call) => filter((n: number) => (call(n), n % 3 !== 0)),
  (call, random) => {
    const copies = Math.floor(random() * 4);
    return flatMap((n: number) => (call(n), Array<number>(copies).fill(n)));
  },
  (call) => tap((n: number) => call(n)),
  (call) => scan((sum: number, n: number) => (call(n), sum + n), 0),
  (call, random) => {
    const concurrency = 1 + Math.floor(random() * 3);
    return parallel((n: number) => (call(n), Promise.resolve(n)), { concurrency });
  },
  (call, random) => {
    const last = Math.floor(random() * 20);
    return takeWhile((n: number) => (call(n), n < last));
  },
  (call) => ({
    transform(n, controller) {
      call(n);
      if (n % 2 === 0) controller.enqueue(n);
      controller.enqueue(n);
    },
  }),
  (call) => ({
    async transform(n, controller) {
      call(n);
      await undefined;
      controller.enqueue(n);
    },
  }),
];

const named = (look: Probe, stages: NumberStage[]) =>
  stages.map((stage, index) => look.transformer(stage, { name: `${index}` })) as [NumberStage];

type ProgramWay = (
  look: Probe,
  source: Iterable<number>,
  stages: NumberStage[],
  write: () => unknown,
) => Promise<unknown>;

const sinkOf = (look: Probe, write: () => unknown) =>
  new WritableStream(look.writer({ write: () => write() as void }));

/** Runs a program with each part probed; `write` says that a chunk has come to its end. */
const programWays: Readonly<Record<string, ProgramWay>> = {
  pipeline: (look, source, stages, write) =>
    pipeline(look.reader(source), ...named(look, stages), look.writer(write)),
  toArray: (look, source, stages, write) =>
    toArray(look.reader(source), ...named(look, stages), tap(write)),
  fuse: (look, source, stages, write) =>
    ReadableStream.from(look.reader(source))
      .pipeThrough(fuse(...named(look, stages)))
      .pipeTo(sinkOf(look, write)),
  native: (look, source, stages, write) =>
    named(look, stages).reduce(
      (readable: ReadableStream<number>, stage) => readable.pipeThrough(new TransformStream(stage)),
      ReadableStream.from(look.reader(source)) as ReadableStream<number>,
    ).pipeTo(sinkOf(look, write)),
};

const programs = 200;

for (const [way, run] of Object.entries(programWays)) {
  test(`${way}: what a probe counts is what the functions saw, in ${programs} random programs`, async () => {
    for (let seed = 1; seed <= programs; seed++) {
      const random = seededRandom(seed);
      const chunkCount = Math.floor(random() * 30);
      const stageCount = 1 + Math.floor(random() * 4);
      const seen = { read: 0, taken: Array<number>(stageCount).fill(0), written: 0 };
      const failsAt = random() < 0.2 ? Math.floor(random() * 20) : Infinity;
      let next = 0;
      // Counted as it is taken: a stream that is cancelled meanwhile leaves what it has asked for.
      const source: Iterable<number> = {
        [Symbol.iterator]: () => ({
          next: () => {
            const value = next++;
            if (value >= chunkCount) return { done: true, value: undefined };
            return {
              done: false,
              get value() {
                seen.read++;
                return value;
              },
            };
          },
        }),
      };
      const stages = Array.from({ length: stageCount }, (_, index) => {
        const make = makers[Math.floor(random() * makers.length)]!;
        return make(() => {
          if (++seen.taken[index]! > failsAt) throw new Error("boom");
        }, random);
      });
      const isLate = random() < 0.5;
      const look = probe({ capacity: 100_000 });
      await run(look, source, stages, () => {
        seen.written++;
        return isLate ? Promise.resolve() : undefined;
      }).catch(() => {});

      const count = (event: string, stage?: string) =>
        look.events().filter((one) => one.event === event && (stage ?? one.stage) === one.stage)
          .length;
      const counted = {
        read: count("read"),
        taken: seen.taken.map((_, index) => count("transform", `${index}`)),
        written: way === "toArray" ? seen.written : count("written"),
      };
      assertEquals(counted, seen, `seed ${seed}`);
      if (way !== "toArray") assertEquals(look.occupancy().written, seen.written, `seed ${seed}`);
    }
  });
}
