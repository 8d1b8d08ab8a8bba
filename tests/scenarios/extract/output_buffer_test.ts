import { Buffer } from "node:buffer";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Output } from "../../../scenarios/extract/output.ts";
import { OutputBuffer } from "../../../scenarios/extract/extract.ts";

/** An output that keeps copies of its pieces, and is slow enough for a second write to be noticed. */
function pieces() {
  const taken: Uint8Array[] = [];
  let isWriting = false;
  const output: Pick<Output, "write"> = {
    async write(bytes) {
      assert(!isWriting, "a write began before the last had ended");
      isWriting = true;
      await Promise.resolve();
      taken.push(bytes.slice());
      isWriting = false;
    },
  };
  return { taken, output: output as Output };
}

const text = (taken: readonly Uint8Array[]) =>
  new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(taken));

test("what is added is written in order, in pieces of 64 KiB or more but the last", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(fc.constantFrom("a", "é", "👍", "行\r\n"), fc.integer({ min: 1, max: 120_000 })),
        {
          maxLength: 8,
        },
      ),
      async (parts) => {
        const { taken, output } = pieces();
        const buffer = new OutputBuffer(output);
        const texts = parts.map(([unit, count]) => unit.repeat(count));
        for (const one of texts) await buffer.add(one, 1);
        await buffer.flush();
        const whole = texts.join("");
        assertEquals(text(taken) === whole, true);
        assert(taken.slice(0, -1).every(({ length }) => length >= 65_536 && length <= 131_072));
        assertEquals(buffer.written, {
          rows: texts.length,
          bytes: new TextEncoder().encode(whole).length,
        });
      },
    ),
    { numRuns: 50 },
  );
});

test("rows count once all of them is written", async () => {
  const { output } = pieces();
  const buffer = new OutputBuffer(output);
  await buffer.add("a".repeat(10), 3);
  assertEquals(buffer.written, { rows: 0, bytes: 0 });
  await buffer.add("b".repeat(160_000), 5);
  assertEquals(buffer.written.rows, 3);
  await buffer.flush();
  assertEquals(buffer.written, { rows: 8, bytes: 160_010 });
});

test("bytes and texts of all sizes keep their order and are counted", async () => {
  const sizes = fc.oneof(
    fc.integer({ min: 1, max: 160_000 }),
    fc.constantFrom(1, 65_535, 65_536, 131_071, 131_072, 131_073),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.boolean(), sizes), { maxLength: 12 }),
      async (parts) => {
        const { taken, output } = pieces();
        const buffer = new OutputBuffer(output);
        const texts = parts.map(([, size], index) => String.fromCharCode(97 + index).repeat(size));
        for (const [index, one] of texts.entries()) {
          if (!parts[index]![0]) await buffer.add(one, 1);
          else {
            const bytes = new TextEncoder().encode(one);
            await buffer.addBytes(bytes, 1);
            // Whoever gave them may use their memory again.
            bytes.fill(0);
          }
        }
        await buffer.flush();
        const whole = texts.join("");
        assertEquals(text(taken) === whole, true);
        assertEquals(buffer.written, { rows: texts.length, bytes: whole.length });
        assert(taken.slice(0, -1).every(({ length }) => length > 0));
      },
    ),
    { numRuns: 100 },
  );
});
