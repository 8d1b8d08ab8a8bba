import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { isKnownOutage } from "../../src/queue/is_known_outage.ts";
import { Backoff, pause, retryUntilDone } from "../../src/queue/retry_until_done.ts";
import { countedSignal } from "../lib/counted_signal.ts";
import { withQuickTimers } from "../lib/with_quick_timers.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

const error = (members: object, message = "") => Object.assign(new Error(message), members);

test("isKnownOutage knows the errors of connections, by the names that runtimes give them", () => {
  for (
    const code of [
      ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "ENOTCONN"],
      ...["EHOSTUNREACH", "ENETUNREACH", "ENETDOWN", "ENOTFOUND", "EAI_AGAIN"],
      ...["57P01", "57P02", "57P03", "53300", "CONNECTION_CLOSED", "CONNECTION_ENDED"],
      ...["CONNECTION_DESTROYED", "CONNECT_TIMEOUT"],
    ]
  ) assertEquals(isKnownOutage(error({ code })), true, code);
  for (
    const name of [
      ...["ConnectionRefused", "ConnectionReset", "ConnectionAborted", "BrokenPipe"],
      "NotConnected",
    ]
  ) assertEquals(isKnownOutage(error({ name })), true, name);
  for (const other of [{ code: "ENOENT" }, { name: "TypeError" }, { code: "" }, { name: "" }, {}]) {
    assertEquals(isKnownOutage(error(other)), undefined);
  }
});

test("isKnownOutage knows SQLite's codes, extended ones too, and what Deno says without one", () => {
  for (const errcode of [5, 6, 10, 13, 14, 5 | 2 << 8, 10 | 1 << 8]) {
    assertEquals(isKnownOutage(error({ errcode })), true, `${errcode}`);
  }
  for (const errcode of [1, 4, 7, 11, 19, 256, "5", undefined]) {
    assertEquals(isKnownOutage(error({ errcode })), undefined, `${errcode}`);
  }
  const code = "ERR_SQLITE_ERROR";
  assertEquals(isKnownOutage(error({ code }, "database is locked")), true);
  assertEquals(isKnownOutage(error({ code }, "database table is locked")), true);
  assertEquals(isKnownOutage(error({ code }, "database or disk is full")), true);
  assertEquals(isKnownOutage(error({ code }, "disk I/O error")), true);
  assertEquals(isKnownOutage(error({ code }, "unable to open database file")), true);
  assertEquals(isKnownOutage(error({ code }, "no such savepoint: s")), undefined);
  assertEquals(isKnownOutage(error({ code }, "database is locked, they say")), undefined);
  assertEquals(isKnownOutage(error({ code }, "the database is locked")), undefined);
  assertEquals(isKnownOutage(error({}, "database is locked")), undefined);
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
  const code = "ERR_SQLITE_ERROR";
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
