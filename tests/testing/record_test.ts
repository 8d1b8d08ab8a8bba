import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { batch, map, pipeline, take, writer } from "@hosepipe/streams";
import {
  record,
  type RecordedEnds,
  replay,
  type ReplayOptions,
  testSource,
  virtualTime,
} from "@hosepipe/streams/testing";

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** What a replay of the recording gives to the sink. */
function chunksOf(recording: string, options?: ReplayOptions): Promise<readonly unknown[]> {
  return replay(recording, async ({ source, sink, written }) => {
    await pipeline(source, sink);
    return written;
  }, options);
}

test("replay() gives JSON, bytes and undefined as they were, also if they are changed later", async () => {
  const later = { a: [1] };
  const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i & 255);
  const chunks = [1, "text", null, undefined, later, bytes, new Uint8Array(0), ["Infinity"]];
  const { recording, outcome } = await record(({ source, sink }) =>
    pipeline(source(chunks), sink(() => void later.a.push(2)))
  );
  assertEquals(outcome.status, "fulfilled");
  const expected = [...chunks.slice(0, 4), { a: [1, 2, 2, 2, 2] }, ...chunks.slice(5)];
  assertEquals(await chunksOf(recording), expected);
});

test("replay() gives what encode made JSON of, by decode", async () => {
  const chunks = [new Map([["a", 1n]]), new Map()];
  const { recording } = await record(
    ({ source, sink }) => pipeline(source(chunks), sink(() => {})),
    { encode: (map: Map<string, bigint>) => [...map].map(([key, value]) => [key, String(value)]) },
  );
  const decode = (list: [string, string][]) =>
    new Map(list.map(([key, value]) => [key, BigInt(value)]));
  assertEquals(await chunksOf(recording, { decode }), chunks);
  await assertRejects(() => chunksOf(recording), TypeError, "chunk 1 was encoded, so that decode");
});

test("a chunk that is no JSON does no harm to the run, and is named where it is replayed", async () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  for (const lost of [new Map(), NaN, 1n, circle, () => {}, new Date(), { n: -0 }]) {
    const { recording, outcome } = await record(({ source, sink }) =>
      pipeline(source([1, lost]), sink(() => {}))
    );
    assertEquals(outcome.status, "fulfilled");
    await assertRejects(() => chunksOf(recording), TypeError, "chunk 2 was not recorded: ");
  }
  const failing = await record(
    ({ source, sink }) => pipeline(source(["secret"]), sink(() => {})),
    {
      redact: () => {
        throw new Error("secret");
      },
    },
  );
  assert(!failing.recording.includes("secret"), failing.recording);
  await assertRejects(() => chunksOf(failing.recording), TypeError, "recorded: redact failed");
});

test("redact() keeps secrets out of chunks and reasons", async () => {
  const { recording, outcome } = await record(
    ({ source, sink }) =>
      pipeline(
        source([{ user: "ada", key: "s3cret" }]),
        sink(({ key }: { key: string }) => {
          throw new Error(`no such key ${key}`);
        }),
      ),
    { redact: ({ user }: { user: string }) => ({ user, key: "***" }) },
  );
  assertEquals(outcome.status, "rejected");
  assert(!recording.includes("s3cret"), recording);
  await assertRejects(() => chunksOf(recording), Error, "the sink failed");
});

/** Rows at their times, batches that wait, and a sink that is slow: what is written depends on all three. */
const chain = () => batch<number>(3, { maxWaitMs: 15 });

test("replay() gives the same chunks at the same points of the schedule", async () => {
  await using time = virtualTime();
  const seen: unknown[] = [];
  const replayed: unknown[] = [];
  async function* rows() {
    for (const [ms, row] of [[10, 1], [4, 2], [20, 3], [0.5, 4], [1, 5], [40, 6], [2, 7]]) {
      await wait(ms!);
      yield row!;
    }
  }
  const recorded = record(({ source, sink }) =>
    pipeline(
      source(rows()),
      chain(),
      writer(
        sink(async (rows: number[]) => {
          seen.push([time.now, rows]);
          await wait(rows.length * 7);
          seen.push([time.now, "done"]);
        }),
        { concurrency: 2 },
      ),
    )
  );
  const { recording } = await time.run(recorded);
  assertEquals(seen.length, 6);
  const startMs = time.now;
  await replay(recording, ({ source, sink }) =>
    pipeline(
      source,
      chain(),
      writer(async (rows: number[]) => {
        replayed.push([Math.round(time.now - startMs), rows]);
        await sink(rows);
        replayed.push([Math.round(time.now - startMs), "done"]);
      }, { concurrency: 2 }),
    ));
  assertEquals(replayed, seen);
});

test("a replay is the same each time, of a run in real time, too", async () => {
  async function* rows() {
    for (let row = 0; row < 20; row++) {
      await wait(row % 3);
      yield row;
    }
  }
  const { recording } = await record(({ source, sink }) =>
    pipeline(source(rows()), chain(), sink((rows: number[]) => wait(rows[0]! % 4)))
  );
  const run = () =>
    replay(recording, async ({ source, sink, written }) => {
      await pipeline(source, chain(), sink);
      return written;
    });
  const first = await run();
  assertEquals(first.flat(), Array.from({ length: 20 }, (_, row) => row));
  assertEquals([await run(), await run()], [first, first]);
});

test("replay() fails where the source did, and where the sink did, at their chunk", async () => {
  async function* broken() {
    yield 1;
    await wait(1);
    throw undefined;
  }
  const source = await record(({ source, sink }) => pipeline(source(broken()), sink(() => {})));
  assertEquals(source.outcome, { status: "rejected", reason: undefined });
  await assertRejects(() => chunksOf(source.recording), Error, "undefined");

  const full = (chunk: number) => chunk === 3 ? Promise.reject(new Error("disk full")) : undefined;
  const sink = await record((ends) => pipeline(ends.source([1, 2, 3, 4]), ends.sink(full)));
  let written: readonly unknown[] = [];
  await assertRejects(
    () =>
      replay(sink.recording, (ends) => {
        written = ends.written;
        return pipeline(ends.source, ends.sink);
      }),
    Error,
    "disk full",
  );
  assertEquals(written, [1, 2, 3]);
});

test("replay() of a run that hangs hangs at the same write, in no real time", async () => {
  let ends!: RecordedEnds;
  const controller = new AbortController();
  const source = testSource<number>({ limitMs: 60_000 });
  const recorded = record((given) => {
    ends = given;
    return pipeline(
      given.source(source),
      given.sink((chunk: number) => chunk === 2 ? new Promise(() => {}) : undefined),
      { signal: controller.signal },
    );
  });
  source.give(1, 2, 3);
  await source.pulled(2);
  await wait(0);
  const soFar = ends.toJsonLines();
  const error = await assertRejects(() => chunksOf(soFar), Error, "nothing can move");
  assertStringIncludes(error.message, "its write 2 has not settled");
  controller.abort("over");
  assertEquals((await recorded).outcome, { status: "rejected", reason: "over" });
});

test("a source that was cancelled ends where it was, if the run goes on now", async () => {
  const { recording } = await record(({ source, sink }) =>
    pipeline(source([1, 2, 3]), take<number>(2), sink(() => {}))
  );
  assertEquals(await chunksOf(recording), [1, 2]);
});

test("record() passes a cancel of a stream on, with its reason", async () => {
  const source = testSource<number>();
  const { outcome } = await record(({ source: wrap, sink }) => {
    source.give(1);
    return pipeline(
      wrap(source.readable),
      sink(() => {
        throw "broken";
      }),
    );
  });
  assertEquals(outcome, { status: "rejected", reason: "broken" });
  assertEquals(await source.cancelled, "broken");
});

test("a recording has the form of a probe's, which the playground opens", async () => {
  const { recording } = await record(
    ({ source, sink }) => pipeline(source([5, 6]), map(String), sink(() => {})),
    { name: "numbers" },
  );
  const [header, ...events] = recording.trim().split("\n").map((line) => JSON.parse(line));
  const { name, dropped, stages } = header;
  assertEquals([name, dropped, stages.map(({ kind }: { kind: string }) => kind)], [
    "numbers",
    0,
    ["reader", "writer"],
  ]);
  const reads = events.filter(({ event }) => event === "read");
  assertEquals(reads.map(({ chunk }) => chunk), [{ json: 5 }, { json: 6 }]);
});

test("a recording that has lost its beginning shows its last chunks, and is not replayed", async () => {
  const { recording } = await record(
    ({ source, sink }) => pipeline(source([1, 2, 3, 4, 5]), sink(() => {})),
    { capacity: 6 },
  );
  const reads = recording.trim().split("\n").slice(1).map((line) => JSON.parse(line))
    .filter(({ event }) => event === "read");
  assert(reads.length > 0);
  for (const { id, chunk } of reads) assertEquals(chunk, { json: Number(id) });
  await assertRejects(() => chunksOf(recording), SyntaxError, "events are not there");
});

test("record() and replay() check what they are given", async () => {
  const none = () => Promise.resolve();
  const refused: [call: () => Promise<unknown>, kind: typeof TypeError, words: string][] = [
    [() => record(5 as never), TypeError, "Cannot record: run must be a function, got 5"],
    [() => record(none, { encoder: 1 } as never), TypeError, 'did you mean "encode"?'],
    [() => record(none, { capacity: -1 }), RangeError, "capacity must be a non-negative integer"],
    [() => record(none, { redact: 1 as never }), TypeError, "redact must be a function, got 1"],
    [() => replay(5 as never, none), TypeError, "recording must be a string, got 5"],
    [() => replay("{}", 5 as never), TypeError, "run must be a function, got 5"],
    [() => replay("", none), SyntaxError, "line 1 is no JSON"],
    [() => replay("{}", none), SyntaxError, 'no header of "hosepipe-probe"'],
    [() => replay("{}", none, { io: 1 as never }), TypeError, "io must be a boolean, got 1"],
    [() => replay("{}", none, { maxTimers: 0 }), RangeError, "maxTimers must be a positive"],
  ];
  for (const [call, kind, words] of refused) await assertRejects(call, kind, words);
  const header = (more: object) =>
    JSON.stringify({ format: "hosepipe-probe", version: 1, dropped: 0, stages: [], ...more });
  const lines: [text: string, words: string][] = [
    [header({ version: 2 }), "the version is 2, known is 1"],
    [`${header({})}\n{}`, "line 2 is no event"],
    [`${header({})}\n{"seq":1,"timeMs":0,"event":"read","stage":"x"}`, "no stage of the header"],
    [
      `${header({ stages: [{ name: "x", kind: "reader" }] })}\n` +
      `{"seq":1,"timeMs":0,"event":"read","stage":"x"}`,
      "line 2 has no chunk",
    ],
  ];
  for (const [text, words] of lines) {
    await assertRejects(() => replay(text, none), SyntaxError, words);
  }
  const { outcome } = await record(({ source }) => source(5 as never));
  assertEquals((outcome as PromiseRejectedResult).reason.name, "TypeError");
});
