import { test } from "node:test";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { channel, toArray } from "@hosepipe/streams";
import { parseSse, sseResponse } from "@hosepipe/streams/formats";
import { microtasks } from "../lib/microtasks.ts";
import { turns } from "../lib/turns.ts";
import { withNotedTimers } from "../lib/with_noted_timers.ts";

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
