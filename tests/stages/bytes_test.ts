import { assertEquals } from "@std/assert";
import { test } from "node:test";
import {
  batch,
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
import { kindsOfBinary } from "../lib/kinds_of_binary.ts";

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
