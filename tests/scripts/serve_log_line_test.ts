import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { logLine } from "../../scenarios/serve/command.ts";

const record = {
  remoteAddress: "::1",
  method: "GET",
  target: "/a.txt",
  protocol: "HTTP/1.1",
  status: 206,
  sent: 12,
};
const now = new Date(Date.UTC(2026, 0, 5, 3, 4, 5));

test("a line of the log is in the common log format", () => {
  assertEquals(
    logLine(record, now),
    '::1 - - [05/Jan/2026:03:04:05 +0000] "GET /a.txt HTTP/1.1" 206 12',
  );
  assertEquals(logLine({ ...record, sent: 0 }, now).endsWith(" 206 -"), true);
});

test("what a client sends cannot end its field or line", () => {
  const target = '/a" 200 1\n127.0.0.1 \\ é\u{1f600}\x1b[31m';
  const escaped = "/a\\x22 200 1\\x0a127.0.0.1 \\x5c \\xc3\\xa9\\xf0\\x9f\\x98\\x80\\x1b[31m";
  assertEquals(
    logLine({ ...record, target }, now),
    `::1 - - [05/Jan/2026:03:04:05 +0000] "GET ${escaped} HTTP/1.1" 206 12`,
  );
});
