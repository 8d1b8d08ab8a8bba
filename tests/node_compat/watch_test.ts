import { assertEquals } from "@std/assert";
import { type Readable, Transform, Writable } from "node:stream";
import { test } from "node:test";
import { probe, reader, transformer, writer } from "@hosepipe/streams/node";
import { reasons } from "./errors.ts";
import { settle, VirtualClock } from "./virtual_clock.ts";

type Done = (error?: Error | null) => void;
type Look = ReturnType<typeof probe>;

function eventsOf(look: Look, ...names: string[]): string[] {
  return look.events()
    .filter(({ event }) => names.includes(event))
    .map(({ stage, event, reason }) =>
      reason === undefined ? `${stage} ${event}` : `${stage} ${event} ${reason}`
    );
}

test("a call that answers at once is no work in progress", async () => {
  const makers: Record<string, (look: Look) => Writable> = {
    "a write": (look) =>
      look.writer(
        new Writable({ objectMode: true, write: (_chunk, _encoding, done) => done() }),
      ),
    "many writes at once": (look) =>
      look.writer(
        new Writable({
          objectMode: true,
          write: (_chunk, _encoding, done) => done(),
          writev: (_chunks: unknown, done: Done) => done(),
        }),
      ),
    "a transform": (look) =>
      look.transformer(
        new Transform({
          objectMode: true,
          transform: (chunk, _encoding, done) => done(null, chunk),
        }),
      ).resume(),
    "a twin": (look) => look.writer(writer(() => {})),
  };
  for (const [name, make] of Object.entries(makers)) {
    let nowMs = 0;
    const look = probe({ now: () => nowMs });
    const stream = make(look);
    for (let chunk = 0; chunk < 5; chunk++) {
      stream.write(chunk);
      await settle();
      nowMs += 10;
    }
    assertEquals(look.bottleneck().stages[0]!.busyShare, 0, name);
  }
});

test("a writer's backpressure and drain are events, each once", async () => {
  const clock = new VirtualClock();
  const look = probe();
  const stream = look.writer(writer(() => clock.sleep(1), { highWaterMark: 2 }));
  for (const round of [1, 2]) {
    for (const chunk of [1, 2, 3]) stream.write(chunk);
    assertEquals(eventsOf(look, "backpressure", "drain").length, 2 * round - 1);
    await clock.run();
    assertEquals(
      eventsOf(look, "backpressure", "drain"),
      Array(round).fill(["writer backpressure", "writer drain"]).flat(),
    );
  }
});

test("a sink that is watched by its function and its stream drains, too", async () => {
  const clock = new VirtualClock();
  const look = probe();
  const sink = look.writer({ write: () => clock.sleep(1) });
  const stream = look.writer(writer(sink.write, { highWaterMark: 1, concurrency: 2 }));
  reader([1, 2, 3, 4, 5]).pipe(stream);
  await clock.run();
  const events = eventsOf(look, "backpressure", "drain");
  // The last one is told to pause, and then to end.
  assertEquals(events, [
    ...Array(3).fill(["writer backpressure", "writer drain"]).flat(),
    "writer backpressure",
  ]);
});

const makers: Record<string, (look: Look) => Readable | Writable> = {
  reader: (look) => look.reader(reader(() => [1])),
  transformer: (look) => look.transformer(transformer({})),
  writer: (look) => look.writer(writer(() => {})),
};

test("a stream that is given up says so once, with the reason where there is one", async () => {
  for (const [name, make] of Object.entries(makers)) {
    const look = probe();
    make(look).destroy();
    await settle();
    assertEquals(eventsOf(look, "cancel", "error"), [`${name} cancel undefined`]);
    for (const reason of reasons) {
      if (!reason) continue;
      const look = probe();
      const stream = make(look).on("error", () => {});
      stream.destroy(reason as Error).destroy(new Error("later"));
      await settle();
      assertEquals(eventsOf(look, "cancel", "error"), [`${name} error ${reason}`]);
    }
  }
});

test("what a stage throws is told as it is, falsy values too", async () => {
  for (const reason of reasons) {
    const fail = () => {
      throw reason;
    };
    const failing: Record<string, (look: Look) => Readable | Writable> = {
      reader: (look) => look.reader(reader(fail)).resume(),
      transformer: (look) => look.transformer(transformer({ transform: fail })),
      writer: (look) => look.writer(writer(fail)),
    };
    for (const [name, make] of Object.entries(failing)) {
      const look = probe();
      const stream = make(look).on("error", () => {});
      if (stream instanceof Writable || name === "transformer") (stream as Writable).write(1);
      await settle();
      assertEquals(eventsOf(look, "cancel", "error"), [`${name} error ${String(reason)}`]);
    }
  }
});

test("a stream that has ended has neither failed nor been given up", async () => {
  const look = probe();
  const source = look.reader(reader([1, 2]));
  const stage = look.transformer(transformer({}));
  const sink = look.writer(writer(() => {}));
  source.pipe(stage).pipe(sink);
  await new Promise((resolve) => sink.on("close", resolve));
  assertEquals(eventsOf(look, "cancel", "error", "end", "final"), [
    "reader end",
    "transformer final",
    "writer final",
  ]);
  for (const stream of [source, stage, sink]) stream.destroy();
  await settle();
  assertEquals(eventsOf(look, "cancel", "error"), []);
});

test("watching adds no listener that outlasts the stream, and runs before the stream's own", async () => {
  const look = probe();
  const order: string[] = [];
  const stream = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => void setImmediate(done),
  });
  stream.on("drain", () => order.push(`drain, told ${eventsOf(look, "drain").length}`));
  stream.on("finish", () => order.push(`finish, told ${eventsOf(look, "final").length}`));
  look.writer(stream);
  stream.write(1);
  await new Promise((resolve) => stream.once("drain", resolve));
  stream.end();
  await new Promise((resolve) => stream.once("close", resolve));
  assertEquals(order, ["drain, told 1", "finish, told 1"]);
  assertEquals(["finish", "error", "close"].map((event) => stream.listenerCount(event)), [1, 0, 0]);
});

test("a transformer's backpressure and drain are events, each once", async () => {
  const clock = new VirtualClock();
  const look = probe();
  const stage = look.transformer(transformer({}, { highWaterMark: 1 }));
  for (const chunk of [1, 2, 3]) stage.write(chunk);
  await settle();
  assertEquals(eventsOf(look, "backpressure", "drain"), ["transformer backpressure"]);
  for (const count of [1, 2]) {
    assertEquals(stage.read(), count);
    await settle();
    assertEquals(eventsOf(look, "backpressure", "drain"), [
      ...Array(count).fill(["transformer backpressure", "transformer drain"]).flat(),
      "transformer backpressure",
    ]);
  }
  await clock.run();
});

test("many writes that last are work from their begin to their callback", async () => {
  let nowMs = 0;
  let finish: Done = () => {};
  const look = probe({ now: () => nowMs });
  const stream = look.writer(
    new Writable({
      objectMode: true,
      write: (_chunk, _encoding, done) => finish = done,
      writev: (_chunks: unknown, done: Done) => finish = done,
    }),
  );
  for (let round = 0; round < 2; round++) {
    for (const chunk of [1, 2, 3]) stream.write(chunk);
    // The first by itself, the others together.
    for (let calls = 0; calls < 2; calls++) {
      nowMs += 15;
      finish();
      await settle();
    }
    nowMs += 10;
  }
  assertEquals(look.occupancy().written, 6);
  assertEquals(look.bottleneck().stages[0]!.busyShare, 60 / 80);
});

test("a writer that ends by a function of its own has ended when that calls back, unless it fails", async () => {
  for (const failure of [undefined, new Error("why")]) {
    const look = probe();
    let finish: Done = () => {};
    const stream = look.writer(
      new Writable({ write: (_chunk, _encoding, done) => done(), final: (done) => finish = done }),
    ).on("error", () => {});
    const ends = () => eventsOf(look, "final", "error");
    let then: string[] = [];
    stream.on("prefinish", () => then = ends());
    stream.end();
    await settle();
    assertEquals(ends(), []);
    finish(failure);
    await settle();
    if (failure === undefined) assertEquals(then, ["writer final"]);
    assertEquals(ends(), [failure === undefined ? "writer final" : "writer error Error: why"]);
  }
});
