import { Buffer } from "node:buffer";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { PassThrough, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { createGunzip, createGzip } from "node:zlib";
import { assert, assertEquals } from "@std/assert";
import { pipeline } from "@hosepipe/streams";
import { fromNode } from "@hosepipe/streams/node";
import { Ground, sinks } from "../laws/_foreign_streams.ts";
import { parseResponse, rawRequest, requestText } from "../files/raw_request.ts";
import { errorOf } from "../lib/error_of.ts";
import { inFolder } from "../lib/in_folder.ts";
import { serveNode } from "../lib/serve_node.ts";
import { turns } from "../lib/turns.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

/** Has what is written to a stream kept as it comes. */
function watchWrites<Stream extends Writable>(stream: Stream): unknown[] {
  const written: unknown[] = [];
  const { write } = stream;
  stream.write = function (this: Stream, chunk: unknown, ...rest: unknown[]) {
    written.push(chunk);
    return (write as (...parts: unknown[]) => boolean).call(this, chunk, ...rest);
  } as Stream["write"];
  return written;
}

type Chunk = string | Uint8Array;

/** Text and bytes in runs of several lengths, with halves of characters. */
function* drawChunks(): Generator<Chunk> {
  const shared = new Uint8Array(300);
  for (let n = 0; n < 3000; n++) {
    const kind = Math.floor(n / 7) % 3;
    if (n % 500 === 499) yield "x".repeat(70_000);
    else if (kind === 0) yield `line ${n} ß😀\n`;
    else if (kind === 1) yield shared.fill(n).subarray(0, n % 300);
    else yield ["\ud83d", "\ude00", "", "a\ud83d", "\ude00b"][n % 5]!;
  }
}

const expected = Buffer.concat(
  Array.from(drawChunks(), (chunk) => Buffer.from(chunk as string)),
);

/** Runs `act` with a stream of others, and gives what has arrived at its far end. */
const run = (name: string, act: (stream: Writable) => Promise<unknown>): Promise<Buffer> =>
  inFolder(async (folder) => {
    const ground = new Ground(folder);
    const { stream, arrived } = await sinks[name]!(ground);
    await act(stream);
    const bytes = Buffer.from(await arrived, "latin1");
    await ground.close();
    return bytes;
  });

for (const name of ["a file", "a socket", "a response of node:http", "createGzip()"]) {
  test(`what goes into ${name} is joined, and its bytes are the same`, async () => {
    let count = 0;
    const bytes = await run(name, async (stream) => {
      const written = watchWrites(stream);
      await withStoppedClock(() => pipeline(drawChunks(), fromNode(stream, { as: "writable" })));
      count = written.length;
    });
    assertEquals(Buffer.compare(bytes, expected), 0);
    assert(count < 2000, `${count} writes`);
  });
}

test("rows before a file go as few writes", async () => {
  let count = 0;
  await run("a file", async (stream) => {
    const written = watchWrites(stream);
    const rows = Array.from({ length: 10_000 }, (_, id) => `{"id":${id}}\n`);
    await withStoppedClock(() => pipeline(rows, fromNode(stream, { as: "writable" })));
    count = written.length;
  });
  assertEquals(count, 2);
});

test("any other node stream is given each chunk", async () => {
  const text = ["a", "b", "c"];
  const isGiven = async (stream: Writable) => {
    const written = watchWrites(stream);
    await pipeline(text, fromNode(stream, { as: "writable" }));
    assertEquals(written, text);
  };
  await isGiven(new PassThrough().resume());
  await isGiven(new PassThrough({ objectMode: true }).resume());
  await isGiven(new Writable({ write: (_chunk, _encoding, done) => done() }));
});

test("a row that comes alone is not held", async () => {
  const go = Promise.withResolvers<void>();
  async function* rows() {
    yield "a";
    yield "b";
    await go.promise;
    yield "c";
  }
  const gzip = createGzip();
  gzip.resume();
  const written = watchWrites(gzip);
  const running = pipeline(rows(), fromNode(gzip, { as: "writable" }));
  await turns();
  assertEquals(written.join(""), "ab");
  go.resolve();
  await running;
  assertEquals(written.join(""), "abc");
});

/** What ends a run before a chunk is given. */
const endings: Record<string, (gzip: Writable, stop: AbortController, reason: Error) => void> = {
  "the source fails"(_gzip, _stop, reason) {
    throw reason;
  },
  "the sink fails": (gzip, _stop, reason) => void gzip.destroy(reason),
  "a signal aborts": (_gzip, stop, reason) => stop.abort(reason),
};

for (const [ending, end] of Object.entries(endings)) {
  test(`when ${ending}, the run fails by that; what the source gave before it failed is written`, async () => {
    for (const at of [0, 1, 2, 5]) {
      const reason = new Error("why");
      const stop = new AbortController();
      const gzip = createGzip().on("error", () => {});
      gzip.resume();
      const written = watchWrites(gzip);
      const rows = function* () {
        for (let n = 0; n < 6; n++) {
          if (n === at) end(gzip, stop, reason);
          yield String(n);
        }
      };
      const slowRows = async function* () {
        for (const row of rows()) {
          yield row;
          await turns();
        }
      };
      const source = ending === "the sink fails" ? slowRows() : rows();
      const run = pipeline(source, fromNode(gzip, { as: "writable" }), { signal: stop.signal });
      assertEquals(await errorOf(run), [reason]);
      assert(gzip.destroyed);
      if (ending === "the source fails") assertEquals(written.join(""), "01234".slice(0, at));
    }
  });
}

test("with preventClose all is written when the run ends", async () => {
  const gzip = createGzip();
  const bytes = buffer(gzip.pipe(createGunzip()));
  const writable = fromNode(gzip, { as: "writable" });
  const written = watchWrites(gzip);
  await pipeline(["a", "b"], writable, { preventClose: true });
  assertEquals(written.join(""), "ab");
  await pipeline(["c"], writable);
  assertEquals((await bytes).toString(), "abc");
});

test("text in another encoding is not joined before a node stream", () =>
  inFolder(async (folder) => {
    const path = `${folder}/file`;
    const stream = createWriteStream(path);
    stream.setDefaultEncoding("base64");
    await pipeline(["aQ==", "bQ=="], fromNode(stream, { as: "writable" }));
    assertEquals(await readFile(path, "utf8"), "im");
  }));

test("what was given before a source fails reaches the client of node:http", async () => {
  async function* rows() {
    yield "a\n";
    yield "b\n";
    throw new Error("lost");
  }
  await using server = await serveNode((_, response) => {
    response.writeHead(200);
    pipeline(rows(), fromNode(response, { as: "writable" })).catch(() => {});
  });
  const { body, isWhole } = parseResponse(await rawRequest(server.port, requestText("/")));
  assertEquals([body.toString(), isWhole], ["a\nb\n", false]);
});

test("a stream that others have corked is not waited for", async () => {
  const gzip = createGzip();
  gzip.resume();
  gzip.cork();
  await pipeline(["a"], fromNode(gzip, { as: "writable" }), { preventClose: true });
  assertEquals(gzip.writableLength, 1);
  gzip.destroy();
});

test("a sink that is destroyed while it writes is looked at no more", async () => {
  await withTimerCount(async (pending) => {
    const stream = new Writable({ write() {} });
    stream.on("error", () => {});
    const writable = fromNode(stream, { as: "writable" });
    const running = errorOf(pipeline(["a"], writable, { preventClose: true }));
    await turns();
    stream.destroy();
    assertEquals((await running)[0] instanceof Error, true);
    await turns();
    assertEquals(pending(), 0);
  });
});
