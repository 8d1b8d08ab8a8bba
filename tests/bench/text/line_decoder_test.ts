import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { test } from "node:test";
import { LineDecoder } from "../../../bench/text/line_decoder.ts";
import { splitLines } from "../../../bench/text/split_lines.ts";

const interesting = [0x41, 0x0a, 0x0d, 0xef, 0xbb, 0xbf, 0xe4, 0xb8, 0x80, 0xf0, 0x9f, 0x98, 0xff];
const pieces = fc.oneof(
  fc.constant([0xef, 0xbb, 0xbf]),
  fc.constant([0x0d, 0x0a]),
  fc.array(fc.constantFrom(...interesting), { maxLength: 5 }),
);

/** The plainest way: everything at once. */
function expect(bytes: Uint8Array): string[] {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const rest = lines.pop()!;
  const ended = lines.map((line) => line.endsWith("\r") ? line.slice(0, -1) : line);
  return rest === "" ? ended : [...ended, rest];
}

test("LineDecoder decodes and splits as TextDecoder does the whole, however it is cut", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (chunks) => {
      const decoder = new LineDecoder();
      const lines = chunks.flatMap((chunk) => decoder.push(Uint8Array.from(chunk)));
      assertEquals([...lines, ...decoder.end()], expect(Uint8Array.from(chunks.flat())));
    }),
    { numRuns: 2000 },
  );
});

test("LineDecoder gives a line as soon as its line feed is there", () => {
  const decoder = new LineDecoder();
  const push = (text: string) => decoder.push(new TextEncoder().encode(text));
  assertEquals(push("a\r"), []);
  assertEquals(push("\nb\rc"), ["a"]);
  assertEquals(push("\n\nd"), ["b\rc", ""]);
  assertEquals(decoder.end(), ["d"]);
  assertEquals(decoder.end(), []);
});

test("splitLines() gives one array for each chunk in which lines end", async () => {
  async function* chunks() {
    for (const text of ["a\nb\n", "c", "d\ne"]) {
      yield await Promise.resolve(new TextEncoder().encode(text));
    }
  }
  assertEquals(await Array.fromAsync(splitLines(chunks())), [["a", "b"], ["cd"], ["e"]]);
});
