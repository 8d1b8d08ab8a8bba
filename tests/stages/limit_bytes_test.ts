import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { limitBytes } from "../../src/stages/limit_bytes.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { toBytes } from "../../src/ends/to_bytes.ts";
import { run } from "../lib/run.ts";
import { turns } from "../lib/turns.ts";

const message = (n: number) => `RangeError: Cannot limit bytes: there are more than ${n} bytes`;

test("limitBytes() lets through what fits, and fails with the chunk that does not", async () => {
  const chunks = [2, 0, 3].map((length) => new Uint8Array(length));
  assertEquals(await run(chunks, limitBytes<Uint8Array>(5)), chunks);
  assertEquals(await run([], limitBytes(0)), []);
  const reader = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(2)),
  }).pipeThrough(new TransformStream(limitBytes<Uint8Array>(5))).getReader();
  assertEquals((await reader.read()).value!.length, 2);
  assertEquals((await reader.read()).value!.length, 2);
  assertEquals(String((await errorOf(reader.read()))[0]), message(5));
});

test("limitBytes() refuses chunks that have no bytes, and limits that are none", async () => {
  assertEquals(
    String((await errorOf(run([5 as never], limitBytes(5))))[0]),
    "TypeError: Cannot limit bytes: a chunk must be a Uint8Array or a string, got 5",
  );
  const need = "Cannot create limitBytes: maxBytes must be a non-negative integer, got";
  assertThrows(() => limitBytes(-1), RangeError, `${need} -1`);
  assertThrows(() => limitBytes("1" as never), TypeError, `${need} "1"`);
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
