import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { tracingChannel } from "node:diagnostics_channel";
import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { map, parallel, pipeline, toArray } from "@hosepipe/streams";
import { pipeline as nodePipeline, type RunMessage } from "@hosepipe/streams/node";
import { turns } from "../lib/turns.ts";

const events = ["start", "end", "asyncStart", "asyncEnd", "error"] as const;

/** Runs while a subscriber listens, and gives what that was given. */
async function listen(run: () => Promise<unknown>) {
  const channel = tracingChannel("hosepipe:run");
  const seen: [event: string, message: RunMessage][] = [];
  const handlers = Object.fromEntries(
    events.map((
      event,
    ) => [event, (message: unknown) => void seen.push([event, message as RunMessage])]),
  ) as unknown as Parameters<typeof channel.subscribe>[0];
  channel.subscribe(handlers);
  try {
    await run().catch(() => {});
    await turns(1);
  } finally {
    channel.unsubscribe(handlers);
  }
  return seen;
}

test("a run is told about from its start to its end, by one message", async () => {
  const double = (n: number) => n * 2;
  const seen = await listen(() => pipeline([1, 2], map(double), function save() {}));
  assertEquals(seen.map(([event]) => event), ["start", "end", "asyncStart", "asyncEnd"]);
  const [[, message]] = seen as [[string, RunMessage]];
  assert(seen.every(([, other]) => other === message));
  const { pipeline: name, source, stages, sink, failure } = message;
  assertEquals([name, source, stages, sink, failure], [
    "pipeline",
    "Array",
    ["map(double)"],
    "save",
    undefined,
  ]);
  assertEquals((message.result as { chunksWritten: number }).chunksWritten, 2);
});

test("a failure is told about, with where it was", async () => {
  const boom = new Error("boom");
  const fail = () => Promise.reject(boom);
  const seen = await listen(() => toArray([1], map((n) => n), parallel(fail, { concurrency: 1 })));
  assertEquals(seen.map(([event]) => event), ["start", "end", "error", "asyncStart", "asyncEnd"]);
  const [[, { pipeline: name, stages, sink, error, failure }]] = seen as [[string, RunMessage]];
  assertEquals([name, stages, sink], ["toArray", ["map", "parallel(fail)"], "toArray"]);
  assertStrictEquals(error, boom);
  assertEquals([failure!.stage, failure!.name, failure!.chunkIndex], [2, "parallel(fail)", 0]);
});

test("Node's twin is told about, too", async () => {
  const boom = new Error("boom");
  const seen = await listen(() =>
    nodePipeline(
      Readable.from([1]),
      map(() => {
        throw boom;
      }),
      new Writable({ objectMode: true, write: (_chunk, _encoding, done) => done() }),
    )
  );
  assertEquals(seen.map(([event]) => event), ["start", "end", "error", "asyncStart", "asyncEnd"]);
  const [[, { pipeline: name, source, stages, sink, failure }]] = seen as [[string, RunMessage]];
  assertEquals([name, source, stages, sink], ["pipeline", "Readable", ["map"], "Writable"]);
  assertEquals(failure!.stage, 1);
});

test("the run is in the store that the channel binds", async () => {
  const storage = new AsyncLocalStorage<RunMessage>();
  const channel = tracingChannel("hosepipe:run");
  channel.start.bindStore(storage, (message) => message as RunMessage);
  try {
    const seen: (string | undefined)[] = [];
    await pipeline([1, 2], parallel((n) => Promise.resolve(n), { concurrency: 1 }), async () => {
      await undefined;
      seen.push(storage.getStore()?.pipeline);
    });
    assertEquals(seen, ["pipeline", "pipeline"]);
  } finally {
    channel.start.unbindStore(storage);
  }
  assertEquals(storage.getStore(), undefined);
});

test("bad arguments are no run, and without a subscriber nothing is looked at", async () => {
  assertEquals(await listen(() => pipeline(1 as never, () => {})), []);
  let looks = 0;
  const source = {
    get [Symbol.toStringTag]() {
      looks++;
      return "Looked";
    },
    *[Symbol.iterator]() {
      yield 1;
    },
  };
  await pipeline(source, map((n) => n), () => {});
  assertEquals(looks, 0);
  const seen = await listen(() => pipeline(source, map((n) => n), () => {}));
  assertEquals([looks, seen[0]![1].source], [1, "Looked"]);
});
