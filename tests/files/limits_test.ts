import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { serveApis } from "../../scenarios/serve/start_server.ts";
import { ask, parseResponse, rawRequest, requestText } from "./raw_request.ts";
import { long, withOwnServer } from "./with_server_process.ts";

const limits = { headersTimeoutMs: 500, idleTimeoutMs: 1000, headerBytes: 16 * 1024 };
const get = requestText("/long.bin");

const head = "HTTP/1.1\r\nHost: localhost\r\n";
const length = "Content-Length: 100000\r\n";
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** What keeps a connection and never ends, and what is sent again and again after it. */
const endless: Readonly<Record<string, readonly [text: string, drip?: string]>> = {
  "a request that never comes": [""],
  "a request line that never ends": ["GET /hello.txt HT"],
  "headers that never end": [`GET /hello.txt ${head}X: `],
  "headers that come byte by byte": [`GET /hello.txt ${head}X: `, "x"],
  "a connection kept for nothing": [`GET /hello.txt ${head}\r\n`],
  "a preface of HTTP/2": [preface],
  "a preface of HTTP/2 with its settings": [`${preface}\0\0\0\x04\0\0\0\0\0`],
  "a GET whose body never comes": [`GET /hello.txt ${head}${length}\r\n`],
  "a GET whose body comes byte by byte": [`GET /hello.txt ${head}${length}\r\n`, "x"],
  "a POST whose body never comes": [`POST /hello.txt ${head}${length}\r\n`],
  "a POST whose body comes byte by byte": [`POST /hello.txt ${head}${length}\r\n`, "x"],
  "chunks that never end": [
    `GET /hello.txt ${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`,
  ],
};

for (const api of serveApis) {
  test(`${api} server: what never ends is cut off, and others are answered`, () =>
    withOwnServer(
      api,
      async ({ port }) => {
        await Promise.all(
          Object.entries(endless).map(async ([what, [text, drip]]) => {
            const received = await rawRequest(port, text, { timeoutMs: 120_000, drip });
            const mayBeFile = text.startsWith("GET") && text.includes("\r\n\r\n");
            if (!mayBeFile) assertEquals(parseResponse(received).status === 200, false, what);
            assertEquals((await ask(port, "/hello.txt")).body.toString(), "hello world\n", what);
          }),
        );
      },
      {},
      limits,
    ));

  test(`${api} server: an open answer is no idle connection, however slowly it is read`, () =>
    withOwnServer(
      api,
      async ({ port }) => {
        // Several times what the server's limits give a connection that has no answer open.
        const received = await rawRequest(port, get, {
          whilePaused: () => new Promise((resolve) => setTimeout(resolve, 6000)),
        });
        const { body, isWhole } = parseResponse(received);
        assertEquals([isWhole, body.equals(long)], [true, true]);
      },
      {},
      limits,
    ));

  test(`${api} server: closing breaks off an open answer that does not end`, () =>
    withOwnServer(api, async ({ port, close }) => {
      const received = await rawRequest(port, get, { whilePaused: () => close(100) });
      assertEquals(parseResponse(received).isWhole, false);
    }));
}
