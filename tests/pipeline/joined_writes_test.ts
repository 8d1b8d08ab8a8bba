import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { formatNdjson, map, merge, pipeline, toBytes, toText } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";
import { turns } from "../lib/turns.ts";

/** The chunks that are written into each stream while `act` runs. */
async function writesDuring(act: () => Promise<unknown>): Promise<unknown[]> {
  const { prototype } = WritableStreamDefaultWriter;
  const { write } = prototype;
  const written: unknown[] = [];
  prototype.write = function (chunk) {
    written.push(chunk);
    return write.call(this, chunk);
  };
  try {
    // A turn that is over ends a block: how long one takes must not matter here.
    await withStoppedClock(act);
  } finally {
    prototype.write = write;
  }
  return written;
}

const sizes = (chunks: unknown[]) => chunks.map((chunk) => (chunk as Uint8Array | string).length);
const encoder = new TextEncoder();

test("lines before a TextEncoderStream and a CompressionStream are joined into blocks, and nothing is lost", async () => {
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id} ß😀` }));
  let gzipped: Uint8Array[] = [];
  const written = await writesDuring(() => {
    gzipped = [];
    return pipeline(
      rows,
      formatNdjson(),
      new TextEncoderStream(),
      new CompressionStream("gzip"),
      (chunk: Uint8Array) => void gzipped.push(chunk),
    );
  });
  const expected = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  // The same blocks go into both pairs.
  const bytes = encoder.encode(expected).length;
  assert(written.length < 2 * (2 + bytes / 20_000), `${written.length} writes`);
  for (const chunk of written) {
    const block = typeof chunk === "string" ? encoder.encode(chunk) : chunk as Uint8Array;
    assert(block.length <= 65_536);
  }
  assertEquals(await toText(gzipped, new DecompressionStream("gzip") as never), expected);
});

test("bytes are copied before what follows is read, and a block has 64 KiB at most", async () => {
  const buffer = new Uint8Array(1000);
  function* reused() {
    for (let n = 0; n < 100; n++) yield buffer.fill(n);
  }
  let gzipped!: Uint8Array;
  const written = await writesDuring(async () => {
    gzipped = await toBytes(reused(), new CompressionStream("gzip"));
  });
  assertEquals(sizes(written), [65_000, 35_000]);
  const bytes = await toBytes([gzipped], new DecompressionStream("gzip") as never);
  assertEquals([bytes.length, bytes[999], bytes[99_999]], [100_000, 0, 99]);
});

test("what was joined is sent before the source or a stage waits", async () => {
  for (const waits of ["source", "stage", "source behind stages"]) {
    let goOn = (_?: string) => {};
    const wait = () => new Promise<string>((resolve) => goOn = () => resolve("b"));
    const rows = async function* () {
      yield "a";
      yield await wait();
    };
    const texts: string[] = [];
    const running = pipeline(
      waits === "stage" ? ["a", "b"] : rows(),
      map((text: string) => waits === "source" ? text : Promise.resolve(text)),
      map((text: string) => waits === "source" ? text : Promise.resolve(text)),
      map((text: string) => waits === "stage" && text === "b" ? wait() : text),
      new TextEncoderStream(),
      (chunk: Uint8Array) => void texts.push(new TextDecoder().decode(chunk)),
    );
    await turns();
    assertEquals(texts, ["a"]);
    goOn();
    await running;
    assertEquals(texts, ["a", "b"]);
  }
});

test("no more is read than there is demand for, and 64 KiB", async () => {
  let read = 0;
  function* lines() {
    // What does not become smaller fills the pair up.
    while (true) {
      read++;
      yield crypto.getRandomValues(new Uint8Array(1024));
    }
  }
  const mostRead = async (make: () => ReadableWritablePair) => {
    read = 0;
    const stop = new AbortController();
    const never = new WritableStream({ write: () => new Promise(() => {}) });
    const { signal } = stop;
    const running = errorOf(pipeline(lines(), make() as never, never, { signal }));
    // Compression has threads of its own.
    let last = -1;
    for (let still = 0; still < 20 && read < 100_000;) {
      await turns();
      still = read === last ? still + 1 : 0;
      last = read;
    }
    stop.abort("enough");
    assertEquals(await running, ["enough"]);
    return read;
  };
  class Own extends CompressionStream {}
  const demand = await mostRead(() => new Own("gzip"));
  const joined = await mostRead(() => new CompressionStream("gzip"));
  // Each chunk that there is demand for may be a block, and one more is filled.
  assert(joined <= 64 * (demand + 1), `${joined}, where each is written by itself ${demand}`);
});

test("what was given before a failure is written before it", async () => {
  const reason = new Error("why");
  function* rows() {
    yield "a";
    yield "b";
    throw reason;
  }
  const written = await writesDuring(async () => {
    const error = await errorOf(pipeline(rows(), new TextEncoderStream(), () => {}));
    assertEquals(error, [reason]);
  });
  assertEquals(written.join(""), "ab");
});

test("what a pair refuses still fails the run, in its turn", async () => {
  const refused = [5, null, { length: 3 }, new Uint8Array(new SharedArrayBuffer(4))];
  for (const chunk of refused) {
    const source = [encoder.encode("a"), chunk as Uint8Array, encoder.encode("b")];
    const [error] = await errorOf(
      pipeline(source, new CompressionStream("gzip") as never, () => {}),
    );
    const native = await errorOf(
      ReadableStream.from(source).pipeThrough(new CompressionStream("gzip") as never)
        .pipeTo(new WritableStream()),
    );
    // Bun takes text and shared memory.
    assertEquals(error === "n", native === "none");
    if (error !== "n") assert(error instanceof TypeError);
  }
  assertEquals(
    await toText([5 as never, "a", null as never, "b"], new TextEncoderStream() as never),
    "5anullb",
  );
});

test("halves of a character are joined by a TextEncoderStream", async () => {
  assertEquals(
    await toText(["a\ud83d", "\ude00b", "\ud83d"], new TextEncoderStream() as never),
    "a😀b\ufffd",
  );
});

test("before any other pair each chunk is written by itself", async () => {
  class Own extends CompressionStream {}
  const own = new TransformStream();
  const shadowed = new TextEncoderStream();
  Object.defineProperty(shadowed, "writable", { value: shadowed.writable });
  for (const pair of [own, new Own("gzip"), shadowed]) {
    const isText = pair === shadowed;
    const source = isText ? ["a", "b"] : [encoder.encode("a"), encoder.encode("b")];
    const written = await writesDuring(() => pipeline(source as never, pair as never, () => {}));
    assertEquals(sizes(written), [1, 1]);
  }
});

test("chunks of a join of iterables are joined too", async () => {
  const rows = Array.from({ length: 500 }, () => "abc");
  const written = await writesDuring(() =>
    pipeline(merge(rows, rows), new TextEncoderStream(), () => {})
  );
  assertEquals(written.join("").length, 3000);
  assert(written.length < 10, `${written.length} writes`);
});
