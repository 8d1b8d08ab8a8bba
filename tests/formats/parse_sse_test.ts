import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { toArray } from "@hosepipe/streams";
import { formatSse, parseSse, type SseEvent, type SseMessage } from "@hosepipe/streams/formats";
import { cutsOf, outcomeOf } from "./_cuts.ts";
import { draws } from "../lib/thorough.ts";

const encoder = new TextEncoder();

function eventsOf(text: string | Uint8Array): Promise<SseEvent[]> {
  return toArray([text], parseSse());
}

function message(data: string, lastEventId = "", type = "message"): SseEvent {
  return { type, data, lastEventId };
}

/** The cases of the web platform tests in `eventsource`, by the names that those have there. */
const cases: readonly (readonly [string, string, readonly SseEvent[]])[] = [
  ["format-bom", "\ufeffdata:1\n\n\ufeffdata:2\n\ndata:3\n\n", [message("1"), message("3")]],
  ["format-bom-2", "\ufeff\ufeffdata:1\n\ndata:2\n\ndata:3\n\n", [message("2"), message("3")]],
  [
    "format-comments",
    `data:1\r:\0\n:\r\ndata:2\n:${"x".repeat(2000)}\rdata:3\n:data:fail\r:${
      "x".repeat(2000)
    }\ndata:4\n\n`,
    [message("1\n2\n3\n4")],
  ],
  ["format-data-before-final-empty-line", "retry:1000\ndata:test1\n\nid:test\ndata:test2", [
    { ...message("test1"), retryMs: 1000 },
  ]],
  ["format-field-data", "data:\n\ndata\ndata\n\ndata:test\n\n", [
    ...[message(""), message("\n"), message("test")],
  ]],
  ["format-field-event", "event:test\ndata:x\n\ndata:x\n\n", [
    ...[message("x", "", "test"), message("x")],
  ]],
  ["format-field-event-empty", "event: \ndata:data\n\n", [message("data")]],
  ["format-field-id", "id: …\ndata:a\n\ndata:b\n\n", [message("a", "…"), message("b", "…")]],
  ["format-field-id-2", "id\ndata:a\n\ndata:b\n\nid:x\n\ndata:c\n\nid:\ndata:d\n\n", [
    ...[message("a"), message("b"), message("c", "x"), message("d")],
  ]],
  ["format-field-id-null", "id:one\nid:a\0b\ndata:a\n\n", [message("a", "one")]],
  [
    "format-field-parsing",
    "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n",
    [
      message("\0\n 2\n1\n3\n\n4"),
    ],
  ],
  ["format-field-retry", "retry:03000\ndata:x\n\n", [{ ...message("x"), retryMs: 3000 }]],
  ["a retry beyond all numbers", `retry:${"9".repeat(400)}\ndata:x\n\n`, [
    { ...message("x"), retryMs: Number.MAX_SAFE_INTEGER },
  ]],
  ["format-field-retry-bogus", "retry:3000\nretry:1000x\ndata:x\n\n", [
    { ...message("x"), retryMs: 3000 },
  ]],
  ["format-field-retry-empty", "retry\ndata:test\n\n", [message("test")]],
  [
    "format-field-unknown",
    "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\n\n",
    [
      message("test\n"),
    ],
  ],
  ["format-leading-space", "data:\ttest\rdata: \ndata:test\n\n", [message("\ttest\n\ntest")]],
  ["format-newlines", "data:test\r\ndata\ndata:test\r\n\r", [message("test\n\ntest")]],
  ["format-null-character", "data:\0\n\n\n\n", [message("\0")]],
  ["format-utf-8", "data:ok…\n\n", [message("ok…")]],
];

for (const [name, text, expected] of cases) {
  test(`${name}, wherever it is cut`, async () => {
    const short = text.length > 1000 ? text.replaceAll("x".repeat(2000), "xx") : text;
    for (const chunks of cutsOf(short)) assertEquals(await toArray(chunks, parseSse()), expected);
    for (const chunks of cutsOf(encoder.encode(short))) {
      assertEquals(await toArray(chunks, parseSse()), expected);
    }
    assertEquals(await eventsOf(text), expected);
  });
}

test("what is not UTF-8 is read as TextDecoder reads it", async () => {
  const bytes = Uint8Array.of(...encoder.encode("data:"), 0xff, 0xe2, 0x82, 10, 10);
  for (const chunks of cutsOf(bytes)) {
    assertEquals(await toArray(chunks, parseSse()), [message("\ufffd\ufffd")]);
  }
});

const parts = fc.constantFrom(
  ...["data", "event", "id", "retry", ":", ": ", " ", "\n", "\n\n", "\r", "\r\n", "\ufeff", "\0"],
  ...["a", "7", "ü", "😀", "data:x\n\n", "data: y\r\n", "id:1\n", "event:e\n", "retry:10\n", "x:"],
);
const streams = fc.array(parts, { maxLength: 25 }).map((list) => list.join(""));

test("random streams are read as eventsource-parser reads them", async () => {
  await fc.assert(
    fc.asyncProperty(streams, fc.integer({ min: 1, max: 9 }), async (text, size) => {
      const expected: unknown[] = [];
      let id = "";
      let seen = "";
      const parser = createParser({
        onEvent: (event) =>
          expected.push({
            ...{ type: event.event || "message", data: event.data },
            ...{ id: event.id === undefined ? seen : seen = event.id },
          }),
      });
      parser.feed(text);
      const found: unknown[] = [];
      const chunks = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      for (const { type, data, lastEventId } of await toArray(chunks, parseSse())) {
        id = lastEventId;
        found.push({ type, data, id });
      }
      assertEquals(
        found.map((event) => ({ ...event as object, id: 0 })),
        expected.map((event) => ({
          ...event as object,
          id: 0,
        })),
      );
      // It forgets an id that came with no data.
      if (!/\n\n|\r\r|\n\r/.test(text.replaceAll("\r\n", "\n"))) assertEquals(id, seen);
    }),
    { numRuns: draws(500) },
  );
});

test("any messages that formatSse writes are read back, and none can forge another", async () => {
  const line = fc.string({ unit: "binary" }).map((text) =>
    text.toWellFormed().replaceAll(/[\r\n\0]/g, "")
  );
  const messages = fc.array(fc.record({
    type: fc.oneof(line, fc.constant("message")),
    data: fc.oneof(streams, fc.string({ unit: "binary" })),
    lastEventId: line,
    retryMs: fc.nat(),
    comment: streams,
  }, { requiredKeys: ["data"] }));
  await fc.assert(fc.asyncProperty(messages, async (list: SseMessage[]) => {
    let lastEventId = "";
    const expected = list.map((message) => ({
      type: message.type || "message",
      data: message.data!.replaceAll(/\r\n?/g, "\n"),
      lastEventId: lastEventId = message.lastEventId ?? lastEventId,
      ...message.retryMs === undefined ? {} : { retryMs: message.retryMs },
    }));
    assertEquals(await toArray(list, formatSse(), parseSse()), expected);
  }));
});

test("comments and times to wait are heard of as they come, ids as their event ends, wherever the text is cut", async () => {
  const text =
    ":\n: a\r\n:  b:c\nid: 1\nretry: 5\nretry: x\n\nid: a\0\nid: b\nid\ndata: x\n\nid: 2\n:end\nretry:7\n";
  const expected = ["#", "#a", "# b:c", "retry 5", "id 1", "id ", "#end", "retry 7"];
  for (const chunks of cutsOf(text)) {
    const heard: string[] = [];
    const stage = parseSse({
      onComment: (comment) => heard.push(`#${comment}`),
      onId: (id) => heard.push(`id ${id}`),
      onRetry: (ms) => heard.push(`retry ${ms}`),
    });
    assertEquals((await toArray(chunks, stage)).map(({ data }) => data), ["x"]);
    assertEquals(heard, expected);
  }
  const failure = new Error("enough");
  const onComment = () => {
    throw failure;
  };
  const failed = await toArray(["data: a\n\n:\n"], parseSse({ onComment })).catch((error) => error);
  assert(failed === failure);
});

test("what cannot be written fails the stream", async () => {
  const refused = (message: unknown, kind: new () => Error, text: string) =>
    assertRejects(() => toArray([message as string], formatSse()), kind, text);
  await refused({ type: "a\nb" }, RangeError, "type must have no line break, got");
  await refused({ type: "a\r" }, RangeError, "type must have no line break, got");
  await refused(
    { lastEventId: "a\0" },
    RangeError,
    "lastEventId must have no line break and no U+0000",
  );
  await refused({ lastEventId: "\n" }, RangeError, "lastEventId must have no line break");
  await refused({ retryMs: 1.5 }, RangeError, "retryMs must be a non-negative integer, got 1.5");
  await refused({ data: 1 }, TypeError, "data must be a string, got 1");
  await refused({ comment: 1 }, TypeError, "must be a string");
  await refused({ dta: "x" }, TypeError, 'unknown option "dta"');
  await refused(5, TypeError, "a chunk must be a string or an object, got 5");
});

test("an event that is too long fails before its end has been seen, comments are not counted", async () => {
  const maxEventLength = 10;
  for (
    const text of [
      "data:123456",
      "data:1\ndata:2\n",
      "id:12345678901\n\n",
      "xxxxxxxxxxx",
      ":xxxxxxxxxxx",
    ]
  ) {
    for (const chunks of cutsOf(text)) {
      const { error } = await outcomeOf(() => parseSse({ maxEventLength }), chunks);
      assert(error?.includes("longer than maxEventLength 10"), `${text}: ${error}`);
    }
  }
  const fine = ":123456789\n".repeat(50) + "data:12345\n\n".repeat(2);
  assertEquals((await toArray([fine], parseSse({ maxEventLength: 12 }))).length, 2);
});

test("wrong options are refused", () => {
  assertThrows(() => parseSse({ max: 1 } as object), TypeError, 'unknown option "max"');
  assertThrows(() => parseSse({ onId: 1 as never }), TypeError, "onId must be a function, got 1");
  assertThrows(() => parseSse({ maxEventLength: 0 }), RangeError, "maxEventLength must be");
});
