import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import fc from "fast-check";
import { test } from "node:test";
import { filter, lines, map, pipeline, toArray } from "../../mod.ts";
import { DelimiterCutter } from "../../src/workers/record_cutter.ts";
import { inWorkers, type InWorkersOptions } from "../../src/workers/mod.ts";
import { draws } from "../lib/thorough.ts";
import { carryError, reviveError } from "../../src/workers/carry_error.ts";
import { Buffer } from "node:buffer";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import { packChunks, unpackChunks } from "../../src/workers/packed_chunks.ts";

const linesModule = new URL("./modules/lines.ts", import.meta.url);
const inThreads = (options: InWorkersOptions = {}) =>
  inWorkers<typeof import("./modules/lines.ts")>(linesModule, {
    threads: 2,
    cut: "\n",
    ...options,
  });
const inPlace = () =>
  [
    lines(),
    filter((line: string) => line.length !== 2),
    map((line: string) => `<${line}>`),
  ] as const;

/** Cuts at random places. */
function cutAt<T extends string | Uint8Array>(whole: T, places: readonly number[]): T[] {
  const at = [...new Set(places.map((place) => place % (whole.length + 1)))].toSorted((a, b) =>
    a - b
  );
  const cut = [0, ...at, whole.length];
  return cut.slice(1).map((to, index) => whole.slice(cut[index]!, to) as T);
}

/** The blocks of an input, as text. */
function blocksOf(chunks: readonly (string | Uint8Array)[], cutter: DelimiterCutter): string[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const asText = (chunk: unknown) =>
    typeof chunk === "string" ? chunk : decoder.decode(chunk as Uint8Array);
  const blocks = chunks.map((chunk) => cutter.add(chunk));
  return [...blocks, cutter.takeRest(true)].flatMap((block) =>
    block === undefined ? [] : [block.chunks.map(asText).join("")]
  );
}

test("blocks are whole records: joined they are the input, wherever it is cut, of bytes and of text", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("\n", "\r\n", "\n\n", "aba", "é"),
      fc.array(fc.constantFrom("a", "b", "\n", "\r", "é", "aba", "\n\n", "xyz"), { maxLength: 60 }),
      fc.array(fc.nat(200), { maxLength: 12 }),
      fc.integer({ min: 1, max: 20 }),
      fc.boolean(),
      (delimiter, parts, places, blockSize, isText) => {
        const text = parts.join("");
        const chunks = isText ? cutAt(text, places) : cutAt(new TextEncoder().encode(text), places);
        const blocks = blocksOf(chunks, new DelimiterCutter(delimiter, blockSize, 1_000));
        assertEquals(blocks.join(""), text);
        // Split one by one, the blocks give the records of the whole.
        const records = (whole: string) => whole.split(delimiter);
        const expected = records(text);
        const got: string[] = [];
        blocks.forEach((block, index) => {
          const some = records(block);
          if (index < blocks.length - 1) {
            assertEquals(some.pop(), "", `${JSON.stringify(blocks)} end with the delimiter`);
          }
          got.push(...some);
        });
        if (blocks.at(-1)?.endsWith(delimiter) || blocks.length > 0) {
          assertEquals(got.filter((one) => one !== ""), expected.filter((one) => one !== ""));
        }
      },
    ),
    { numRuns: draws(1_000) },
  );
});

test("threads give of cut bytes and text what one thread gives of the whole", async () => {
  const text = Array.from({ length: 400 }, (_, index) => "é".repeat(index % 7) + index).join("\n");
  const expected = await toArray([text], ...inPlace());
  for (const blockSize of [1, 10, 1_000, 65_536]) {
    for (const whole of [text, new TextEncoder().encode(text)]) {
      const chunks = cutAt(whole, [3, 500, 501, 502, 900, 1_200]);
      assertEquals(await toArray(chunks, inThreads({ blockSize })), expected);
    }
  }
});

test("a byte order mark counts in the first block only", async () => {
  const text = "\uFEFFone\n\uFEFFtwo\nthree";
  for (const whole of [text, new TextEncoder().encode(text)]) {
    const expected = await toArray([whole], ...inPlace());
    assertEquals(await toArray([whole], inThreads({ blockSize: 1 })), expected);
    assertEquals(await toArray(cutAt(whole, [4, 6]), inThreads({ blockSize: 1 })), expected);
  }
});

test("a record that is too long fails, whether its end comes or not", async () => {
  const options = { maxRecordBytes: 10, blockSize: 100 };
  for (const input of ["0123456789x", "0123456789x\n", "ok\n0123456789x\nok\n"]) {
    for (const chunk of [input, new TextEncoder().encode(input)]) {
      await assertRejects(
        () => toArray([chunk], inThreads(options)),
        RangeError,
        "a record is longer than maxRecordBytes, 10",
      );
    }
  }
  assertEquals(await toArray(["0123456789\n", "0123456789"], inThreads(options)), [
    "<0123456789>",
    "<0123456789>",
  ]);
});

test("the bytes that a program gives stay its own", async () => {
  const bytes = new TextEncoder().encode("one\ntwo\n");
  assertEquals(await toArray([bytes], inThreads()), ["<one>", "<two>"]);
  assertEquals(bytes.byteLength, 8);
});

test("chunks that are no bytes, or of both kinds, fail", async () => {
  await assertRejects(
    () => toArray([5 as unknown as string], inThreads()),
    TypeError,
    "chunk must be a string or a Uint8Array, got 5",
  );
  const both = ["a\n", new Uint8Array([97, 10])];
  await assertRejects(
    () => toArray(both, inThreads()),
    TypeError,
    "all strings or all Uint8Arrays",
  );
});

test("a slow sink stops the threads and the source", async () => {
  let read = 0;
  const written: string[] = [];
  function* source() {
    for (let n = 0; n < 5_000; n++) {
      read++;
      yield `${n}\n`.repeat(10);
    }
  }
  await pipeline(
    source(),
    inThreads({ blockSize: 100, maxBlocks: 2, threads: 1 }),
    async (line) => {
      if (written.push(line) === 1) {
        for (let turn = 0; turn < 20; turn++) await new Promise((go) => setTimeout(go));
        assert(read < 200, `${read} read while the first line is written`);
      }
    },
  );
  assertEquals(read, 5_000);
});

/** As on its way to a thread. */
const sent = (chunks: readonly unknown[]) => unpackChunks(structuredClone(packChunks(chunks)));

test("texts and numbers come as they were, packed or not", () => {
  const random = seededRandom(7);
  const texts = ["", "a", "ü漢🚿", "\ud83d", "\ude00", "long ".repeat(50), "\u0000"];
  const numbers = [0, -0, NaN, Infinity, -Infinity, 1.5, 2 ** 53, Number.MIN_VALUE];
  const others = [null, undefined, 1n, true, { a: 1 }, new Uint8Array(3)];
  for (const kinds of [[texts], [numbers], [texts, numbers], [texts, others], [numbers, others]]) {
    for (let round = 0; round < 50; round++) {
      const all = kinds.flat();
      const chunks = Array.from(
        { length: Math.floor(random() * 30) },
        () => all[Math.floor(random() * all.length)],
      );
      const got = sent(chunks);
      assertEquals(got, chunks);
      assert(
        got.every((chunk, index) => Object.is(chunk, chunks[index]) || typeof chunk === "object"),
      );
    }
  }
});

test("many of a kind are sent as one", () => {
  assert(packChunks(Array(100).fill(1)) instanceof Float64Array);
  assertEquals(Object.keys(packChunks(Array(100).fill("a"))), ["text", "ends"]);
  assert(Array.isArray(packChunks(["a", "b"])));
  assert(Array.isArray(packChunks([...Array(100).fill("a"), 1])));
});

test("of a large buffer only what its views show is sent, each of its kind", () => {
  const buffer = new ArrayBuffer(5_000_000);
  new Uint8Array(buffer).set([1, 2, 3, 4, 5, 6, 7, 8]);
  const kinds = [
    Uint8Array,
    Int16Array,
    Uint8ClampedArray,
    Float64Array,
    BigInt64Array,
    DataView,
  ] as unknown as Uint8ArrayConstructor[];
  for (const count of [1, 3, 20]) {
    for (const kind of kinds) {
      const views = Array.from({ length: count }, () => new kind(buffer, 0, 1));
      // The same object twice, a view without a byte, and what is no view.
      const got = sent([...views, views[0], new Uint8Array(buffer, 9, 0), "text", null]);
      assertEquals(got.slice(-2), ["text", null]);
      for (const [index, view] of [...views, views[0]!].entries()) {
        const copy = got[index] as typeof view;
        assertEquals([copy.constructor, copy.buffer.byteLength], [kind, view.byteLength]);
        assertEquals(copy, new kind(buffer.slice(0, view.byteLength) as ArrayBuffer));
      }
      assert(got[0] === got[count]);
    }
  }
  class Own extends Uint8Array {
    override get [Symbol.toStringTag](): never {
      return "Own" as never;
    }
  }
  for (const view of [Buffer.from(buffer, 0, 8), new Own(buffer, 0, 8)]) {
    const [copy] = sent([view]) as [Uint8Array];
    assertEquals([copy.constructor, copy.buffer.byteLength], [Uint8Array, 8]);
  }
});

test("a buffer that is mostly seen, small or shared is sent as it is", () => {
  const whole = new Uint8Array(1_000_000);
  const rows = Array.from(
    { length: 100 },
    (_, index) => whole.subarray(index * 1e4, (index + 1) * 1e4),
  );
  const small = new Uint8Array(64).subarray(0, 8);
  for (const chunks of [[whole], rows, rows.slice(0, 60), [small], [whole, whole.subarray(0, 9)]]) {
    assertEquals(packChunks(chunks), chunks);
    assert((packChunks(chunks) as unknown[]).every((chunk, index) => chunk === chunks[index]));
  }
  const shared = new Uint8Array(new SharedArrayBuffer(1_000_000), 0, 8);
  assert((packChunks([shared]) as unknown[])[0] === shared);
});

const carried = (thrown: unknown) => reviveError(structuredClone(carryError(thrown))) as Error;

test("an error of any name and any fields arrives as one", () => {
  for (const name of ["toString", "__proto__", "constructor", "hasOwnProperty", "", "TypeError"]) {
    const error = carried(Object.assign(new Error("no"), { name }));
    assertInstanceOf(error, Error);
    assertEquals([error.name, error.message], [name, "no"]);
  }
  const fields = JSON.parse('{ "__proto__": { "name": "other" }, "row": 5 }');
  const source = Object.defineProperties(new Error("no"), Object.getOwnPropertyDescriptors(fields));
  const error = carried(source);
  assert(Object.getPrototypeOf(error) === Error.prototype);
  assertEquals([error.name, (error as Error & { row: number }).row], ["Error", 5]);
});

test("what cannot be read or sent arrives as an error that says so", () => {
  const thrower = () => {
    throw new Error("no text");
  };
  for (
    const thrown of [
      Object.defineProperty(new Error(), "message", { get: thrower }),
      Object.assign(new Error(), { message: Object.create(null) }),
      Object.defineProperty(new Error(), "row", { get: thrower, enumerable: true }),
      new Proxy(new Error(), { get: thrower, getPrototypeOf: thrower }),
      new Error("outer", { cause: Object.defineProperty(new Error(), "name", { get: thrower }) }),
    ]
  ) {
    const error = carried(thrown);
    const { message } = error.message === "outer" ? error.cause as Error : error;
    assert(/^What was thrown cannot be (read|sent)/.test(message), message);
  }
  assertEquals(carried(Symbol("no")).message, "What was thrown cannot be sent: symbol");
  assertEquals(
    carried(Object.assign(new Error("no"), { constructor: { name: {} } })).message,
    "no",
  );
});
