import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { isKnownOutage } from "../../src/queue/is_known_outage.ts";
import { Backoff, pause, retryUntilDone } from "../../src/queue/retry_until_done.ts";
import { countedSignal } from "../lib/counted_signal.ts";
import { withQuickTimers } from "../lib/with_quick_timers.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

const error = (members: object, message = "") => Object.assign(new Error(message), members);

const code = "ERR_SQLITE_ERROR";

/** Errors by their members and message. */
const outages: readonly (readonly [members: object, message?: string])[] = [
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "ENOTCONN", "ENETDOWN"]
    .concat(["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN", "57P01", "57P02", "57P03"])
    .concat(["53300", "CONNECTION_CLOSED", "CONNECTION_ENDED", "CONNECTION_DESTROYED"])
    .concat("CONNECT_TIMEOUT").map((code) => [{ code }] as const),
  ...["ConnectionRefused", "ConnectionReset", "ConnectionAborted", "BrokenPipe", "NotConnected"]
    .map((name) => [{ name }] as const),
  // SQLite's codes, extended ones too, and what Deno says without one.
  ...[5, 6, 10, 13, 14, 5 | 2 << 8, 10 | 1 << 8].map((errcode) => [{ errcode }] as const),
  ...["database is locked", "database table is locked", "database or disk is full"]
    .concat(["disk I/O error", "unable to open database file"])
    .map((message) => [{ code }, message] as const),
];
const others: typeof outages = [
  ...[{ code: "ENOENT" }, { name: "TypeError" }, { code: "" }, { name: "" }, {}]
    .map((members) => [members] as const),
  ...[1, 4, 7, 11, 19, 256, "5", undefined].map((errcode) => [{ errcode }] as const),
  ...["no such savepoint: s", "database is locked, they say", "the database is locked"]
    .map((message) => [{ code }, message] as const),
  [{}, "database is locked"],
];

test("isKnownOutage knows the errors of connections and databases, by the names that runtimes give them", () => {
  for (const [rows, verdict] of [[outages, true], [others, undefined]] as const) {
    for (const row of rows) {
      assertEquals(isKnownOutage(error(...row)), verdict, JSON.stringify(row));
    }
  }
});

test("isKnownOutage looks for causes, four errors deep, and takes whatever was thrown", () => {
  let chain: unknown = error({ code: "ECONNRESET" });
  for (let depth = 0; depth < 4; depth++) {
    assertEquals(isKnownOutage(chain), true, `${depth}`);
    chain = error({ cause: chain });
  }
  assertEquals(isKnownOutage(chain), undefined);
  assertEquals(isKnownOutage(error({ cause: null })), undefined);
  for (const thrown of [undefined, null, "ECONNRESET", 5, () => {}]) {
    assertEquals(isKnownOutage(thrown), undefined);
  }
});

test("isKnownOutage says nothing of what cannot be looked at", () => {
  const thrower = () => {
    throw new Error("no");
  };
  for (const reason of [new Proxy({}, { get: thrower }), { code, message: Object.create(null) }]) {
    assertEquals(isKnownOutage(reason), undefined);
  }
});

test("a pause ends at once when its signal aborts, before or during it, and leaves nothing behind", () =>
  withTimerCount(async (pending) => {
    const { controller, signal, listeners } = countedSignal();
    const waiting = pause(600_000, signal);
    assertEquals([pending(), listeners()], [1, 1]);
    controller.abort();
    await waiting;
    assertEquals([pending(), listeners()], [0, 0]);
    await pause(600_000, AbortSignal.abort());
    assertEquals(pending(), 0);
    const quiet = countedSignal();
    await pause(1, quiet.signal);
    assertEquals([pending(), quiet.listeners()], [0, 0]);
  }));

test("Backoff waits twice as long each time, up to a second, a quarter more or less", async () => {
  const { random } = Math;
  const { signal } = new AbortController();
  try {
    for (const [value, factor] of [[0, 0.75], [0.5, 1], [0.999, 1.2495]] as const) {
      Math.random = () => value;
      const backoff = new Backoff();
      const delays = await withQuickTimers(async () => {
        for (let count = 0; count < 8; count++) await backoff.pause(signal);
      });
      const whole = [20, 40, 80, 160, 320, 640, 1000, 1000];
      assertEquals(delays, whole.map((ms) => ms * factor));
    }
  } finally {
    Math.random = random;
  }
});

test("retryUntilDone tries until it succeeds, and tells of each failure", async () => {
  const failures: unknown[] = [];
  let attempts = 0;
  const { signal } = new AbortController();
  let isDone: boolean | undefined;
  const delays = await withQuickTimers(async () => {
    isDone = await retryUntilDone(
      () => ++attempts < 4 ? Promise.reject(attempts) : Promise.resolve(),
      signal,
      (reason) => failures.push(reason),
    );
  });
  assertEquals([isDone, attempts, failures, delays.length], [true, 4, [1, 2, 3], 3]);
});

test("retryUntilDone ends once its signal aborts, in an attempt or between two; what succeeds is done", async () => {
  for (const isDuring of [true, false]) {
    const controller = new AbortController();
    let attempts = 0;
    const { promise: failed, resolve } = Promise.withResolvers<void>();
    const running = retryUntilDone(
      () => {
        attempts++;
        if (isDuring) controller.abort();
        return Promise.reject("away");
      },
      controller.signal,
      () => resolve(),
    );
    await failed;
    controller.abort();
    assertEquals([await running, attempts], [false, 1]);
  }
  assertEquals(await retryUntilDone(() => Promise.resolve(), AbortSignal.abort(), () => {}), true);
});
