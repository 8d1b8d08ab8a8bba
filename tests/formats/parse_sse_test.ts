import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { channel, toArray } from "@hosepipe/streams";
import {
  formatSse,
  parseSse,
  type SseEvent,
  type SseMessage,
  sseResponse,
  sseSource,
} from "@hosepipe/streams/formats";
import { cutsOf, outcomeOf } from "./_cuts.ts";
import { draws } from "../lib/thorough.ts";
import { withQuickTimers } from "../lib/with_quick_timers.ts";
import { microtasks } from "../lib/microtasks.ts";
import { turns } from "../lib/turns.ts";
import { withNotedTimers } from "../lib/with_noted_timers.ts";

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

const gone = () => new Response(null, { status: 204 });
const type = { headers: { "content-type": "text/event-stream" } };

test("it connects again with the last id, after the time that the stream says, until it is over", async () => {
  const ids: (string | null)[] = [];
  const heard: unknown[] = [];
  const bodies = [
    "id: 1\ndata: a\n\n",
    "data: b\n\nretry: 70\n: on\nid: …\n\ndata: cut",
    "data: c\n\n",
  ];
  const delays = await withQuickTimers(async () => {
    const events = await toArray(sseSource((headers) => {
      assertEquals(headers.get("accept"), "text/event-stream");
      ids.push(headers.get("last-event-id"));
      const body = bodies.shift();
      return body === undefined ? gone() : new Response(body, type);
    }, {
      ...{ retryMs: 50, lastEventId: "0", onId: (id) => heard.push(id) },
      ...{ onRetry: (ms) => heard.push(ms), onComment: (text) => heard.push(text) },
    }));
    assertEquals(events.map(({ data, lastEventId }) => [data, lastEventId]), [
      ...[["a", "1"], ["b", "1"], ["c", "…"]],
    ]);
  });
  assertEquals(ids, ["0", "1", "\xe2\x80\xa6", "\xe2\x80\xa6"]);
  assertEquals(delays, [50, 70, 70]);
  assertEquals(heard, ["1", 70, "on", "…"]);
});

test("a connection that fails or breaks is made again; after so many in a row the stream fails", async () => {
  let calls = 0;
  const reason = new Error("no route");
  await withQuickTimers(async () => {
    const events = sseSource(() => {
      if (++calls % 2 === 1) throw reason;
      return new Response(
        new ReadableStream({
          pull(controller) {
            controller.enqueue(new TextEncoder().encode(`data: ${calls}\n\n`));
            if (calls === 4) controller.error(reason);
          },
        }, { highWaterMark: 0 }),
        type,
      );
    }, { maxFailures: 2 }).getReader();
    assertEquals((await events.read()).value!.data, "2");
    await events.cancel();
    assertEquals(calls, 2);
    const failed = await toArray(sseSource(() => Promise.reject(reason), { maxFailures: 3 }))
      .catch((error) => error);
    assert(failed === reason);
    await assertRejects(
      () => toArray(sseSource(() => new Response("", type), { maxFailures: 3 })),
      TypeError,
      "Cannot read server-sent events: 3 connections in a row gave no event",
    );
  });
});

test("another status or type, or an event that is too long, fails the stream for good", async () => {
  const refused = (response: () => Response, message: string, kind: new () => Error = TypeError) =>
    assertRejects(() => toArray(sseSource(response, { maxEventLength: 5 })), kind, message);
  await refused(() => new Response("", { ...type, status: 500 }), "the status is 500");
  await refused(() => new Response("x"), "not text/event-stream");
  await refused(
    () => new Response("", { headers: { "content-type": "text/event-streams" } }),
    "not text/event-stream",
  );
  await refused(() => new Response("data: long", type), "maxEventLength 5", RangeError);
  const charset = { headers: { "content-type": "Text/Event-Stream ; charset=utf-8" } };
  let isFirst = true;
  const events = await toArray(sseSource(() => {
    const response = isFirst ? new Response("data: x\n\n", charset) : gone();
    isFirst = false;
    return response;
  }, { retryMs: 0 }));
  assertEquals(events.length, 1);
});

test("nothing is read ahead, and a cancel or a signal closes the connection", async () => {
  let pulls = 0;
  const reasons: unknown[] = [];
  const signals: AbortSignal[] = [];
  const connect = (_: Headers, signal: AbortSignal) => {
    signals.push(signal);
    return new Response(
      new ReadableStream({
        pull(controller) {
          pulls++;
          controller.enqueue(new TextEncoder().encode("data: x\n\n"));
        },
        cancel: (reason) => void reasons.push(reason),
      }, { highWaterMark: 0 }),
      type,
    );
  };
  const one = sseSource(connect).getReader();
  assertEquals(signals.length, 0);
  await one.read();
  assertEquals(pulls, 1);
  await one.cancel("enough");
  const controller = new AbortController();
  const two = sseSource(connect, { signal: controller.signal }).getReader();
  await two.read();
  controller.abort("stop");
  assertEquals(await two.read().catch((reason) => reason), "stop");
  assertEquals(reasons, ["enough", "stop"]);
  assert(signals.every(({ aborted }) => aborted));
  const three = sseSource(connect, { signal: AbortSignal.abort("before") });
  assertEquals(await toArray(three).catch((reason) => reason), "before");
});

test("a cancel ends the wait for the next connection", async () => {
  const events = sseSource(() => new Response("data: x\n\n", type), { retryMs: 2 ** 31 - 1 })
    .getReader();
  await events.read();
  const read = events.read();
  await events.cancel();
  assertEquals((await read).done, true);
});

test("what sseResponse sends, sseSource reads", async () => {
  const messages = [{ data: "a\nb", lastEventId: "1" }, { type: "end", data: "" }];
  let isFirst = true;
  const events = await toArray(sseSource(() => {
    const response = isFirst ? sseResponse(messages) : gone();
    isFirst = false;
    return response;
  }, { retryMs: 0 }));
  assertEquals(events, [
    { type: "message", data: "a\nb", lastEventId: "1" },
    { type: "end", data: "", lastEventId: "1" },
  ]);
});

test("wrong arguments are refused", () => {
  const create = (input: unknown, options?: unknown) => () =>
    void sseSource(input as string, options as object);
  assertThrows(create(5), TypeError, "input must be a string, a URL or a function, got 5");
  assertThrows(create("x", { retry: 1 }), TypeError, 'unknown option "retry"');
  assertThrows(create("x", { retryMs: -1 }), RangeError, "retryMs must be a number from 0");
  assertThrows(create("x", { lastEventId: 1 }), TypeError, "lastEventId must be a string");
  assertThrows(create("x", { lastEventId: "\0" }), RangeError, "lastEventId must have no");
  assertThrows(create("x", { maxFailures: 0 }), RangeError, "maxFailures must be a positive");
  assertThrows(create("x", { signal: 1 }), TypeError, "signal must be an AbortSignal");
});

const decoder = new TextDecoder();

test("a response of events has their type, and each as it is asked for", async () => {
  let pulls = 0;
  const source = new ReadableStream<string>({
    pull(controller) {
      controller.enqueue(`${++pulls}`);
      if (pulls === 3) controller.close();
    },
  }, { highWaterMark: 0 });
  const response = sseResponse(source, { headers: { "x-one": "1", "content-type": "text/html" } });
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assertEquals(response.headers.get("cache-control"), "no-cache, no-transform");
  assertEquals(response.headers.get("x-accel-buffering"), "no");
  assertEquals(response.headers.get("x-one"), "1");
  assertEquals(pulls, 0);
  const reader = response.body!.getReader();
  assertEquals(decoder.decode((await reader.read()).value), "data: 1\n\n");
  assertEquals(pulls, 1);
  reader.releaseLock();
  const rest = await toArray(response.body!, parseSse());
  assertEquals(rest.map(({ data }) => data), ["2", "3"]);
});

test("while there is no event, a comment is sent each time that the time has passed; no timer stays", async () => {
  const fired: (() => void)[] = [];
  const cleared = new Set<unknown>();
  const { clearTimeout: clear } = globalThis;
  globalThis.clearTimeout = ((id: unknown) => {
    cleared.add(id);
    clear(id as number);
  }) as typeof clearTimeout;
  try {
    const source = channel<string>();
    const body = sseResponse(source.readable, { keepAliveMs: 500 }).body!.getReader();
    const delays = await withNotedTimers(async () => {
      const first = body.read();
      await microtasks(50);
      fired.shift()!();
      assertEquals(decoder.decode((await first).value), ":\n\n");
      const second = body.read();
      await microtasks(50);
      fired.shift()!();
      assertEquals(decoder.decode((await second).value), ":\n\n");
      const third = body.read();
      await source.send("x");
      assertEquals(decoder.decode((await third).value), "data: x\n\n");
    }, (_set, callback) => fired.push(callback));
    assertEquals(delays, [500, 500, 500]);
    assert(cleared.size > 0);
    await body.cancel();
  } finally {
    globalThis.clearTimeout = clear;
  }
});

test("comments come sooner than Bun's server takes a connection for dead", async () => {
  const body = sseResponse(channel<string>().readable).body!.getReader();
  const delays = await withNotedTimers(async () => {
    void body.read();
    await microtasks(50);
  });
  assertEquals(delays, [5000]);
  await body.cancel();
});

test("a reader that goes away cancels the source, also while it is read or opened", async () => {
  const reasons: unknown[] = [];
  const hanging = () =>
    new ReadableStream<string>({ cancel: (reason) => void reasons.push(reason) }, {
      highWaterMark: 0,
    });
  const one = sseResponse(hanging()).body!.getReader();
  const read = one.read();
  await one.cancel("gone");
  assertEquals((await read).done, true);
  const { promise, resolve } = Promise.withResolvers<ReadableStream<string>>();
  const two = sseResponse(() => promise).body!.getReader();
  void two.read();
  await turns();
  await two.cancel("too early");
  resolve(hanging());
  await turns();
  assertEquals(reasons, ["gone", "too early"]);
});

test("a failure of the source, or a message that cannot be written, breaks the connection", async () => {
  const reason = new Error("broken");
  const failing = new ReadableStream<string>({ pull: () => Promise.reject(reason) });
  assert(await sseResponse(failing).text().then(() => false, () => true));
  const failed = await toArray(sseResponse(() => Promise.reject(reason)).body!)
    .catch((error) => error);
  assert(failed === reason);
  const reasons: unknown[] = [];
  const wrong = new ReadableStream({
    pull: (controller) => controller.enqueue({ type: "a\nb" }),
    cancel: (reason) => void reasons.push(reason),
  }, { highWaterMark: 0 });
  await assertRejects(
    () => toArray(sseResponse(wrong).body!),
    RangeError,
    "type must have no line",
  );
  assert(reasons[0] instanceof RangeError);
});

test("a function is given the last id, and gives the source", async () => {
  const seen: string[] = [];
  const answer = (lastEventId?: string | null) =>
    sseResponse((id) => {
      seen.push(id);
      return ["a"];
    }, { lastEventId }).text();
  assertEquals(await answer("7"), "data: a\n\n");
  await answer(null);
  await answer();
  assertEquals(seen, ["7", "", ""]);
  await assertRejects(
    () => toArray(sseResponse(() => 5 as never).body!),
    TypeError,
    "the source must be",
  );
});

test("wrong arguments are refused", () => {
  const create = (source: unknown, options?: unknown) => () =>
    void sseResponse(source as string[], options as object);
  assertThrows(create(5), TypeError, "Cannot create sseResponse: source must be a ReadableStream");
  assertThrows(create([], { keepAlive: 1 }), TypeError, 'unknown option "keepAlive"');
  assertThrows(create([], { keepAliveMs: "1" }), TypeError, "keepAliveMs must be a number");
  assertThrows(create([], { keepAliveMs: 0 }), RangeError, "keepAliveMs must be at least 1");
  assertThrows(create([], { lastEventId: 7 }), TypeError, "lastEventId must be a string, got 7");
});
