import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import {
  batch,
  batchBy,
  channel,
  compose,
  encode,
  flatMap,
  lines,
  map,
  merge,
  parallel,
  pipeline,
  rechunk,
  tap,
  toArray,
} from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import { microtasks } from "../lib/microtasks.ts";
import { stateOf } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";

test("lines keep what has begun for what follows it", async () => {
  const { readable, send, flushNow, close } = channel<string>();
  const run = toArray(readable, lines());
  await send("a\nb");
  await flushNow();
  await send("c");
  close();
  assertEquals(await run, ["a", "bc"]);
});

test("it waits its turn behind what was sent, and fulfils once the sink has taken it", async () => {
  const { readable, send, flushNow, close } = channel<number>({ highWaterMark: 10 });
  const log: string[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let writes = 0;
  const run = pipeline(readable, batch(2), async (chunks) => {
    log.push(`begin ${chunks}`);
    await gates[writes++]?.promise;
    log.push(`end ${chunks}`);
  });
  for (const n of [1, 2, 3]) void send(n);
  const flushed = flushNow().then(() => log.push("flushed"));
  void send(4);
  void send(5);
  await turns();
  assertEquals(log, ["begin 1,2"]);
  gates[0]!.resolve();
  await turns();
  assertEquals(log, ["begin 1,2", "end 1,2", "begin 3"]);
  gates[1]!.resolve();
  await flushed;
  assertEquals(log.slice(2), ["begin 3", "end 3", "flushed"]);
  close();
  await run;
  assertEquals(log.slice(5), ["begin 4,5", "end 4,5"]);
});

test("before anything reads it waits, and what is dropped does not count", async () => {
  const { readable, send, flushNow, close } = channel<number>({
    highWaterMark: 1,
    overflow: "dropOldest",
  });
  void send(1);
  const flushed = flushNow();
  void send(2);
  assertEquals(await stateOf(flushed), "pending");
  const run = toArray(readable, batch(10));
  await flushed;
  close();
  assertEquals(await run, [[2]]);
});

test("a pair of native streams stands in the way, and is named", async () => {
  const { readable, send, flushNow, close } = channel<Uint8Array<ArrayBuffer>>();
  const run = pipeline(readable, tap(() => {}), new CompressionStream("gzip"), () => {});
  await send(new Uint8Array(3));
  await assertRejects(
    flushNow,
    TypeError,
    "Cannot flush now: stage 2, CompressionStream, is a pair of native streams",
  );
  close();
  await run;
});

test("what is not read by a pipeline says so", async () => {
  const problem = "Cannot flush now: the stream is not the source of a pipeline";
  const native = channel<number>();
  const read = native.readable.pipeThrough(new TransformStream(batch(10))).getReader().read();
  await native.send(1);
  await assertRejects(native.flushNow, TypeError, problem);
  native.close();
  await read;

  const joined = channel<number>();
  const run = toArray(merge(joined.readable, [0]));
  await joined.send(1);
  await assertRejects(joined.flushNow, TypeError, problem);
  joined.close();
  assertEquals((await run).toSorted(), [0, 1]);
});

test("it is rejected with why nothing can be flushed any more", async () => {
  const boom = new Error("boom");
  const failing = channel<number>();
  const run = pipeline(failing.readable, batch(10), () => {
    throw boom;
  }).catch((reason) => reason);
  await failing.send(1);
  const flushed = failing.flushNow().catch((reason) => reason);
  assertEquals([await run, await flushed], [boom, boom]);
  assertEquals(await failing.flushNow().catch((reason) => reason), boom);

  const hanging = channel<number>();
  const controller = new AbortController();
  const stopped = pipeline(hanging.readable, batch(10), () => new Promise(() => {}), {
    signal: controller.signal,
  }).catch((reason) => reason);
  await hanging.send(1);
  const waiting = hanging.flushNow().catch((reason) => reason);
  await turns();
  controller.abort(boom);
  assertEquals([await stopped, await waiting], [boom, boom]);

  const closed = channel<number>();
  closed.close();
  await assertRejects(closed.flushNow, TypeError, "Cannot send: the channel is closed");
});

test("an early end lets nothing hang", async () => {
  const { readable, send, flushNow } = channel<number>();
  const run = pipeline(readable, batch(10), {
    transform(_chunk, controller) {
      controller.terminate();
    },
  }, () => {});
  await send(1);
  const outcome = await flushNow().then(() => "flushed", () => "rejected");
  await run;
  assert(["flushed", "rejected"].includes(outcome));
});

/** Stages that hold chunks, each undone by the next: numbers go in and come out. */
const rounds: readonly ((random: () => number) => Transformer[])[] = [
  (random) => [
    map(String) as Transformer,
    batch(
      1 + Math.floor(random() * 5),
      [{}, { maxBytes: 9 }, { maxWaitMs: 1e6 }][random() * 3 | 0],
    ),
    flatMap((all) => (all as string[]).map(Number)),
  ],
  (random) => [
    batchBy((n) => Number(n) % 2, 1 + Math.floor(random() * 5), { maxKeys: 1 }),
    flatMap(({ chunks }) => chunks as number[]),
  ],
  (random) => [
    parallel((n) => random() < 0.5 ? n : Promise.resolve(n), {
      concurrency: 1 + Math.floor(random() * 3),
    }),
  ],
  (random) => [
    map((n) => Uint8Array.of(Number(n))),
    rechunk(1 + Math.floor(random() * 4)) as Transformer,
    flatMap((bytes) => [...bytes as Uint8Array]),
  ],
  (random) => [
    map((n) => String.fromCharCode(Number(n))),
    encode({ size: 4 + Math.floor(random() * 4) }) as Transformer,
    flatMap((bytes) => [...bytes as Uint8Array]),
  ],
  () => [map((n) => n)],
];

test("in 400 random programs a flush means that all sent before is written, and nothing is lost", async () => {
  for (let seed = 1; seed <= 400; seed++) {
    const random = seededRandom(seed);
    const stages = Array.from(
      { length: Math.floor(random() * 4) },
      () => rounds[Math.floor(random() * rounds.length)]!(random),
    ).flat();
    const { readable, send, flushNow, close } = channel<number>({
      highWaterMark: Math.floor(random() * 4),
    });
    const written: number[] = [];
    const write = (n: unknown) => {
      const wait = random() < 0.3;
      if (!wait) return void written.push(n as number);
      return microtasks(Math.floor(random() * 5)).then(() => void written.push(n as number));
    };
    const look = random() < 0.3 ? probe() : undefined;
    const source = look?.reader(readable) ?? readable;
    const chain = stages.map((stage) => look?.transformer(stage) ?? stage);
    const run = stages.length === 0
      ? pipeline(source, write)
      : pipeline(source, compose(chain as [Transformer]), write);
    const count = Math.floor(random() * 30);
    const flushes: Promise<void>[] = [];
    for (let n = 0; n < count; n++) {
      const sent = send(n);
      if (random() < 0.5) await sent;
      else sent.catch(() => {});
      if (random() < 0.3) {
        const flushed = flushNow().then(() => {
          assert(written.length > n, `seed ${seed}: ${written.length} written, ${n + 1} sent`);
        });
        flushes.push(flushed);
        if (random() < 0.5) await flushed;
      }
      if (random() < 0.2) await microtasks(Math.floor(random() * 20));
    }
    close();
    await run;
    await Promise.all(flushes);
    assertEquals(written, Array.from({ length: count }, (_, n) => n), `seed ${seed}`);
  }
});
