import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { isKnownOutage } from "../../src/queue/is_known_outage.ts";

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
