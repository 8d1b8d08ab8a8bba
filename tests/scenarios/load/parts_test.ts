import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { assertEquals, assertRejects } from "@std/assert";
import { Random } from "../../../scenarios/extract/seed/seed_contacts.ts";
import { load, ndjsonRecords, zstdBytes, ZstdFrames } from "../../../scenarios/load/command.ts";
import { openTarget } from "../../../scenarios/load/open_target.ts";
import { draws, firstSeedOf } from "../../lib/thorough.ts";
import { csvLines, inSql, patientMs, sqlTest, textOf } from "../extract/_helpers.ts";

interface Row {
  readonly id: number;
  readonly k: string;
  a?: number | null;
  b?: string | null;
  c?: number | null;
  d?: string | null;
}

const createTable =
  `CREATE TABLE family (id int PRIMARY KEY, k text UNIQUE, a int REFERENCES family (id),
  b text REFERENCES family (k), c int, d text, UNIQUE (id, k), FOREIGN KEY (c, d) REFERENCES family (id, k))`;

/** Rows that refer to each other by three foreign keys, in circles too, some to none, some there twice. */
function drawRows(random: Random): Row[] {
  const count = 1 + random.below(30);
  const span = count + random.below(6);
  const rows: Row[] = [];
  const fill = (row: Row) => {
    for (const name of ["a", "b", "c", "d"] as const) row[name] ??= null as never;
  };
  for (let id = 0; id < count; id++) {
    const row: Row = { id, k: `k${id}` };
    if (random.below(3) > 0) row.a = random.below(span);
    if (random.below(3) === 0) row.b = `k${random.below(span)}`;
    if (random.below(4) === 0) {
      row.c = random.below(span);
      row.d = `k${row.c + (random.below(8) === 0 ? 1 : 0)}`;
    }
    // Rows with other columns are other statements.
    if (random.below(3) === 0) fill(row);
    rows.splice(random.below(rows.length + 1), 0, row);
  }
  for (let more = random.below(8) - 4; more > 0; more--) {
    const row = { ...random.pick(rows) };
    if (random.below(2) === 0) fill(row);
    rows.splice(random.below(rows.length + 1), 0, row);
  }
  return rows;
}

/** The ids of the most rows that can be there together. */
function mostTogether(rows: readonly Row[]): number[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  const has = (k: string) => found.has(Number(k.slice(1)));
  const isFine = ({ a, b, c, d }: Row) =>
    (a == null || found.has(a)) && (b == null || has(b)) &&
    (c == null || d == null || found.has(c) && d === `k${c}`);
  for (let count = -1; count !== found.size;) {
    count = found.size;
    for (const row of rows) if (!isFine(row)) found.delete(row.id);
  }
  return [...found.keys()].sort((one, other) => one - other);
}

async function check(seed: number, address: string): Promise<void> {
  const random = new Random(seed, 0);
  const rows = drawRows(random);
  await inSql(address, "DELETE FROM family");
  const target = await openTarget(address, {
    ...{ table: "family", timeoutMs: patientMs, isJson: true },
  });
  async function* chunks() {
    yield new TextEncoder().encode(rows.map((row) => JSON.stringify(row)).join("\n"));
  }
  const dead: number[] = [];
  try {
    const result = await load({
      ...{ records: ndjsonRecords(chunks(), "utf-8"), target, batchSize: 1 + random.below(7) },
      onDeadLetter: ({ line }) => void dead.push(line),
    });
    const expected = mostTogether(rows);
    const ids = await textOf(address, { kind: "query", sql: "SELECT id FROM family ORDER BY id" });
    assertEquals(csvLines(ids).slice(1).map(Number), expected, `seed ${seed}`);
    assertEquals(new Set(dead).size, rows.length - expected.length);
    const { length } = expected;
    assertEquals(result, {
      rows: rows.length,
      loaded: length,
      dead: rows.length - length,
      diverted: 0,
    });
  } finally {
    await target.close();
  }
}

const count = draws(40);

sqlTest(
  "of rows that refer to each other, as many are loaded as can be there together",
  createTable,
  async (address) => {
    for (let seed = firstSeedOf(count); seed < firstSeedOf(count) + count; seed++) {
      await check(seed, address);
    }
  },
);

async function unpacked(bytes: Uint8Array, step: number): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += step) parts.push(bytes.subarray(at, at + step));
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of zstdBytes(Readable.from(parts))) {
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

const skippable = Uint8Array.of(0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3);
const long = "a text that is of some length, ".repeat(20_000);
const frames = ["one, ", "", "two, ", long, "three"].map((text) => zstdCompressSync(text));

test("zstdBytes reads all frames of a file, however its bytes come", async () => {
  const bytes = Buffer.concat([frames[0]!, skippable, ...frames.slice(1)]);
  for (const step of [1, 7, 60, bytes.length]) {
    assertEquals(await unpacked(bytes, step), `one, two, ${long}three`, `${step}`);
  }
});

test("zstdBytes fails where a frame is cut off, also after whole ones", async () => {
  const bytes = Buffer.concat(frames);
  for (const length of [0, 3, bytes.length - 1, frames[0]!.length + 5]) {
    for (const step of [1, bytes.length]) {
      await assertRejects(() => unpacked(bytes.subarray(0, length), step), Error);
    }
  }
});

function isWhole(bytes: Uint8Array, step: number): boolean {
  const frames = new ZstdFrames();
  for (let at = 0; at < bytes.length;) at += frames.take(bytes.subarray(at, at + step));
  return frames.isWhole;
}

/** Bytes that repeat little. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => (state = state * 48271 % 2147483647) & 0xff);
}

test("ZstdFrames knows where frames end, however the bytes are cut", () => {
  const skippable = Uint8Array.of(0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3);
  const empty = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0);
  for (const content of [noise(0), noise(1), noise(700), noise(300_000), new Uint8Array(300_000)]) {
    const frame = new Uint8Array(zstdCompressSync(content));
    for (const parts of [[frame], [frame, frame], [skippable, frame], [frame, empty, skippable]]) {
      const bytes = new Uint8Array(parts.flatMap((part) => [...part]));
      const ends = new Set([0]);
      let end = 0;
      for (const part of parts) ends.add(end += part.length);
      for (const step of [1, 7, 65_536]) assertEquals(isWhole(bytes, step), true);
      const stride = Math.max(1, Math.floor(bytes.length / 300));
      for (let length = 0; length < bytes.length; length += stride) {
        assertEquals(isWhole(bytes.subarray(0, length), 65_536), ends.has(length), `${length}`);
      }
    }
  }
});
