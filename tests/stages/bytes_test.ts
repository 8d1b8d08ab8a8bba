import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import {
  batch,
  encode,
  fuse,
  limitBytes,
  lines,
  parseNdjson,
  rechunk,
  split,
  toArray,
  toBytes,
  toJson,
  toText,
  type Transformer,
} from "@hosepipe/streams";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { kindsOfBinary } from "../lib/kinds_of_binary.ts";
import { run } from "../lib/run.ts";
import { turns } from "../lib/turns.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

const content = new TextEncoder().encode("[1,\t\t2]\n");

type Run = (chunks: unknown[]) => Promise<unknown>;

/** The stage, once in a run and once as native streams have it. */
function both(name: string, make: () => Transformer): [string, Run][] {
  return [
    [name, (chunks) => toArray(chunks, make())],
    [`native ${name}`, (chunks) =>
      toArray(new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          controller.close();
        },
      }).pipeThrough(new TransformStream(make())))],
  ];
}

/** Every stage and end that takes bytes. */
const takers: readonly [string, Run][] = [
  ...both("lines", lines),
  ...both("parseNdjson", parseNdjson),
  ...both("split at text", () => split(",")),
  ...both("split at bytes", () => split(Uint8Array.of(44))),
  ...both("rechunk", () => rechunk(3)),
  ...both("limitBytes", () => limitBytes(1000)),
  ...both("batch with maxBytes", () => batch(10, { maxBytes: 3 })),
  ["toBytes", (chunks) => toBytes(chunks as Uint8Array[])],
  ["toText", (chunks) => toText(chunks as Uint8Array[])],
  ["toJson", (chunks) => toJson(chunks as Uint8Array[])],
];

/** The same bytes in plain arrays: what went through keeps the kind that it has. */
function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array);
  return Array.isArray(value) ? value.map(plain) : value;
}

for (const [name, run] of takers) {
  test(`${name} takes any Uint8Array, and refuses every other kind of binary`, async () => {
    const expected = plain(await run([content]));
    for (const { name: kind, make, refusedAs } of kindsOfBinary) {
      const outcome = await run([make(content)]).then(plain, String);
      if (refusedAs === undefined) assertEquals(outcome, expected, kind);
      else {
        const [, reason] = /^TypeError: Cannot .+: .*a chunk must be .+, got (.+)$/
          .exec(String(outcome)) ?? [];
        assertEquals(reason, refusedAs, `${kind}: ${outcome}`);
      }
    }
  });

  test(`${name} takes a chunk of no bytes`, async () => {
    const empty = new Uint8Array();
    // Two hand on each chunk, an empty one too.
    const left = (outcome: unknown) =>
      JSON.stringify(plain(outcome)).replace(/\[\[\]\],|\[\],/, "");
    assertEquals(left(await run([empty, content])), left(await run([content])));
  });
}

const bytes = (...values: number[]) => Uint8Array.from(values);

test("rechunk() gives chunks of exactly that length, the last shorter, however they come", async () => {
  const all = Uint8Array.from({ length: 23 }, (_, n) => n);
  for (let length = 1; length <= 24; length++) {
    for (let step = 1; step <= 23; step++) {
      const chunks = [];
      for (let at = 0; at < 23; at += step) chunks.push(all.slice(at, at + step), bytes());
      const out = await run(chunks, rechunk(length));
      assertEquals(out.flatMap((chunk) => [...chunk]), [...all]);
      assertEquals(out.slice(0, -1).every((chunk) => chunk.length === length), true);
      assertEquals(out.length, Math.ceil(23 / length));
    }
  }
});

test("rechunk() shares no memory that the source uses again, nor between chunks", async () => {
  const buffer = new Uint8Array(3);
  const source = function* () {
    for (let n = 1; n <= 3; n++) yield buffer.fill(n);
  };
  const out = await run(source(), rechunk(2));
  assertEquals(out.map((chunk) => [...chunk]), [[1, 1], [1, 2], [2, 2], [3, 3], [3]]);
  assertEquals(new Set(out.map(({ buffer }) => buffer)).size, out.length);
});

test("limitBytes() counts a surrogate pair that is cut between chunks as its four bytes, as toBytes() does", async () => {
  const [high, low] = ["\ud834", "\udd1e"];
  const cases: [chunks: (string | Uint8Array)[], length: number][] = [
    [[high + low], 4],
    [[high, low], 4],
    [["a" + high, "", low + "b"], 6],
    [[high, high, low, low], 10],
    [[low, high], 6],
    [[high, "a", low], 7],
    [[high, "\ue000"], 6],
    [["\ud7ff", low], 6],
    [[high], 3],
    [["é", "€", "Zoë 𝄞𝄞"], 18],
    [[Uint8Array.of(1), Uint8Array.of(2, 3)], 3],
  ];
  for (const [chunks, length] of cases) {
    assertEquals((await toBytes(chunks as string[])).length, length);
    assertEquals(await run(chunks, limitBytes<string | Uint8Array>(length)), chunks);
    const [error] = await errorOf(run(chunks, limitBytes<string | Uint8Array>(length - 1))) as [
      Error,
    ];
    assertEquals(error instanceof RangeError, true);
  }
});

/** The most characters of a text that fit. */
function model(text: string, maxBytes: number): string {
  let fitting = "";
  for (const character of text) {
    if (new TextEncoder().encode(fitting + character).length > maxBytes) break;
    fitting += character;
  }
  return fitting;
}

test("limitBytes() that truncates gives what fits, in whole characters, over every split", async () => {
  for (const text of ["", "abc", "aé€𝄞b", "𝄞𝄞", "\ud834x\udd1e"]) {
    const bytes = new TextEncoder().encode(text);
    for (let maxBytes = 0; maxBytes <= bytes.length + 1; maxBytes++) {
      const stage = () => limitBytes<string>(maxBytes, { atLimit: "truncate" });
      const ofBytes = () => limitBytes<Uint8Array>(maxBytes, { atLimit: "truncate" });
      for (let at = 0; at <= text.length; at++) {
        const whole = (await run([text.slice(0, at), text.slice(at)], stage())).join("");
        // Of a pair that is cut between chunks the first half may have gone when the second is found not to fit.
        assertEquals(
          whole.replace(/[\ud800-\udbff]$/, ""),
          model(text, maxBytes).replace(/[\ud800-\udbff]$/, ""),
        );
      }
      for (let at = 0; at <= bytes.length; at++) {
        const chunks = await run([bytes.slice(0, at), bytes.slice(at)], ofBytes());
        assertEquals(chunks.flatMap((chunk) => [...chunk]), [...bytes.slice(0, maxBytes)]);
      }
    }
  }
});

test("limitBytes() that truncates ends with the last byte, and cancels the source", async () => {
  const source = countedSource({ chunk: () => new Uint8Array(2) });
  const out = source.readable.pipeThrough(
    new TransformStream(limitBytes<Uint8Array>(4, { atLimit: "truncate" })),
  );
  assertEquals((await Array.fromAsync(out)).map(({ length }) => length), [2, 2]);
  await turns();
  assertEquals([source.readCount, source.cancelReasons.length], [2, 1]);
  assertThrows(
    () => limitBytes(1, { atLimit: "end" as never }),
    TypeError,
    'atLimit must be "fail" or "truncate", got "end"',
  );
});

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Holder {
  readonly name: string;
  make(size: number, maxWaitMs?: number): Transformer<unknown, Uint8Array>;
  chunk(text: string): unknown;
}

const holders: readonly Holder[] = [
  {
    name: "encode",
    make: (size, maxWaitMs) => encode({ size, maxWaitMs }) as Transformer<unknown, Uint8Array>,
    chunk: (text) => text,
  },
  {
    name: "rechunk",
    make: (size, maxWaitMs) => rechunk(size, { maxWaitMs }) as Transformer<unknown, Uint8Array>,
    chunk: (text) => encoder.encode(text),
  },
];

for (const { name, make, chunk } of holders) {
  for (const way of ["fused", "native"]) {
    const open = (maxWaitMs?: number) => {
      const stage = make(8, maxWaitMs);
      const { readable, writable } = way === "fused" ? fuse(stage) : new TransformStream(stage);
      return { reader: readable.getReader(), writer: writable.getWriter() };
    };

    test(`${name} ${way} with maxWaitMs 0 passes on at once what comes in a turn, and leaves no timer`, async () => {
      await withTimerCount(async (pending) => {
        const { reader, writer } = open(0);
        for (const texts of [["a", "b", "c"], ["d"], ["e", "f"]]) {
          for (const text of texts) void writer.write(chunk(text));
          const { value } = await reader.read();
          assertEquals(decoder.decode(value), texts.join(""));
          await Promise.resolve();
          assertEquals(pending(), 0);
        }
        void writer.write(chunk("0123456789"));
        const texts = [(await reader.read()).value, (await reader.read()).value];
        assertEquals(texts.map((bytes) => decoder.decode(bytes)), ["01234567", "89"]);
        void writer.write(chunk("end"));
        void writer.close();
        assertEquals(decoder.decode((await reader.read()).value), "end");
        assertEquals([(await reader.read()).done, pending()], [true, 0]);
      });
    });
  }

  test(`${name} refuses what is no delay`, () => {
    assertThrows(() => make(8, -1), RangeError, "maxWaitMs must be a number from 0 to 2147483647");
    assertThrows(() => make(8, "1" as never), TypeError, "maxWaitMs");
  });
}

test("encode with maxWaitMs keeps half a character for the other half", async () => {
  const { readable, writable } = fuse(encode({ maxWaitMs: 0 }));
  const reader = readable.getReader();
  const writer = writable.getWriter();
  void writer.write("a\ud83d");
  assertEquals(decoder.decode((await reader.read()).value), "a");
  void writer.write("\ude00");
  assertEquals(decoder.decode((await reader.read()).value), "\u{1f600}");
});
