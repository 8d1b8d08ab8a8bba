import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { toArray } from "@hosepipe/streams";
import { sseResponse, sseSource } from "@hosepipe/streams/formats";
import { withQuickTimers } from "../lib/with_quick_timers.ts";

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
