import { assert, assertEquals } from "@std/assert";
import { TextLineStream } from "@std/streams";
import fc from "fast-check";
import { test } from "node:test";
import { createLineSplitter } from "../../../../bench/copy_lines/steps/line_splitter.ts";

function split(chunks: readonly string[]): string[] {
  const splitter = createLineSplitter();
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

const chunks = fc.array(
  fc.string({ unit: fc.constantFrom("a", "\r", "\n", "\r\n"), maxLength: 6 }),
);

test("createLineSplitter() splits as TextLineStream does, however the text is cut", async () => {
  await fc.assert(fc.asyncProperty(chunks, async (texts) => {
    const lines: string[] = [];
    for await (const line of ReadableStream.from(texts).pipeThrough(new TextLineStream())) {
      lines.push(line as string);
    }
    assertEquals(split(texts), lines);
    assertEquals(split([texts.join("")]), lines);
  }));
});

test("createLineSplitter() gives a line as soon as its line feed is there", () => {
  const splitter = createLineSplitter();
  assertEquals(splitter.push("a\r"), []);
  assertEquals(splitter.push("\nb\rc"), ["a"]);
  assertEquals(splitter.push("\n\n"), ["b\rc", ""]);
  assertEquals(splitter.end(), []);
});

test("createLineSplitter() looks at each piece of a long line once", () => {
  let searched = 0;
  const includes = String.prototype.includes;
  String.prototype.includes = function (...parameters) {
    searched += this.length;
    return includes.apply(this, parameters);
  };
  try {
    const pieces = Array.from({ length: 1000 }, () => "x".repeat(1000));
    const lines = split([...pieces, "\n"]);
    assertEquals(lines.map((line) => line.length), [1_000_000]);
  } finally {
    String.prototype.includes = includes;
  }
  assert(searched <= 1_000_001, `${searched} characters were searched`);
});
