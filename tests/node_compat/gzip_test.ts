import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { createGunzip, gunzipSync } from "node:zlib";
import { channel, encode, fuse, pipeline, take, toArray, toBytes } from "@hosepipe/streams";
import { formatSse, parseSse } from "@hosepipe/streams/formats";
import { fromNode, gzip, type GzipOptions } from "@hosepipe/streams/node";
import { serveNode } from "../lib/serve_node.ts";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";

const random = seededRandom(3);
const bytesOf = (length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 8));

test("what gzip makes is gzip, in pipeline, fused and native, at each level", async () => {
  const parts = [0, 1, 5, 70_000, 3, 200_000].map(bytesOf);
  const whole = new Uint8Array(await new Blob(parts).arrayBuffer());
  for (const level of [0, 1, 6, 9]) {
    const ways = [
      () => toBytes(parts, gzip({ level })),
      () => toBytes(ReadableStream.from(parts).pipeThrough(fuse(gzip({ level })))),
      () => toBytes(ReadableStream.from(parts).pipeThrough(new TransformStream(gzip({ level })))),
    ];
    for (const way of ways) {
      const inflated = new Uint8Array(gunzipSync(await way()));
      assertEquals(inflated.length, whole.length);
      assertEquals(inflated, whole);
    }
  }
  assertEquals(gunzipSync(await toBytes([], gzip())).length, 0);
});

test("a stage can be used again, and an early end and a failure leave nothing behind", async () => {
  const stage = gzip();
  const [one, other] = await Promise.all([1, 2].map((n) => toBytes([bytesOf(n * 1000)], stage)));
  assertEquals([gunzipSync(one!).length, gunzipSync(other!).length], [1000, 2000]);
  assertEquals((await toArray([bytesOf(300_000)], gzip({ level: 0 }), take(1))).length, 1);
  const boom = new Error("boom");
  const failing = (async function* () {
    yield bytesOf(10);
    throw boom;
  })();
  assertEquals(await toBytes(failing, gzip()).catch((reason) => reason), boom);
  await assertRejects(
    () => toBytes(["text" as never], gzip()),
    TypeError,
    'Cannot gzip: a chunk must be a Uint8Array, got "text"',
  );
});

test("bad options are refused", () => {
  const problem = (options: GzipOptions, kind: typeof TypeError | typeof RangeError) =>
    assertThrows(() => gzip(options), kind).message;
  assertEquals(
    problem({ level: 10 }, RangeError),
    "Cannot create gzip: level must be at most 9, got 10",
  );
  problem({ level: -1 }, RangeError);
  problem({ memLevel: 0 }, RangeError);
  problem({ level: "6" as never }, TypeError);
  problem({ strategy: 1 } as never, TypeError);
});

test("server-sent events go through gzip as they are sent", async () => {
  const events = channel<{ data: string }>();
  await using server = await serveNode((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
    void pipeline(
      events.readable,
      formatSse(),
      encode(),
      gzip(),
      fromNode(response, { as: "writable" }) as WritableStream<Uint8Array>,
    );
  });
  const { port } = server;
  await events.send({ data: "first" });
  // Nothing of it is on its way yet: gzip holds it.
  void events.flushNow();
  const [response] = await once(get({ port, host: "127.0.0.1" }), "response") as [
    IncomingMessage,
  ];
  const seen: string[] = [];
  const inflated = response.pipe(createGunzip());
  const reading = pipeline(
    fromNode<Uint8Array>(inflated),
    parseSse(),
    async ({ data }: { data: string }) => {
      seen.push(data);
      if (data === "first") {
        await events.send({ data: "second" });
        void events.flushNow();
      } else if (data === "second") events.close();
    },
  );
  await reading;
  assertEquals(seen, ["first", "second"]);
});
