import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { test } from "node:test";
import { createUtf8Decoder } from "../../../../bench/copy_lines/steps/utf8_decoder.ts";

function decode(chunks: readonly Uint8Array[]): string {
  const decoder = createUtf8Decoder();
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()].join("");
}

const interesting = [0x41, 0x0a, 0xef, 0xbb, 0xbf, 0xe4, 0xb8, 0x80, 0xf0, 0x9f, 0x98, 0xff, 0xc0];
const pieces = fc.oneof(
  fc.constant([0xef, 0xbb, 0xbf]),
  fc.array(fc.constantFrom(...interesting), { maxLength: 5 }),
);

test("createUtf8Decoder() decodes chunks as TextDecoder does the whole", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 6 }), (chunks) => {
      const whole = new TextDecoder().decode(Uint8Array.from(chunks.flat()));
      assertEquals(decode(chunks.map((chunk) => Uint8Array.from(chunk))), whole);
    }),
    { numRuns: 2000 },
  );
});

test("createUtf8Decoder() removes only the first byte-order mark", () => {
  const mark = [0xef, 0xbb, 0xbf];
  const chunks = [mark.slice(0, 1), mark.slice(1), [0x41], mark, mark];
  assertEquals(decode(chunks.map((chunk) => Uint8Array.from(chunk))), "A\uFEFF\uFEFF");
});
