import { writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { type ServeApi, startServer } from "../../scenarios/serve/start_server.ts";
import { beginReading } from "./begin_reading.ts";
import { pattern, withFixture } from "./fixture.ts";
import { remainingFiles } from "./open_files.ts";
import { parseResponse, rawRequest } from "./raw_request.ts";

const limits = { headersTimeoutMs: 500, idleTimeoutMs: 1000, headerBytes: 16 * 1024 };
/** More than all buffers of the system between us take. */
const long = pattern(24 * 2 ** 20);
const listen = { host: "127.0.0.1", port: 0, limits };

/** Clients that keep a connection and do nothing with it. */
export function limitsSuite(api: ServeApi): void {
  const unfinished: Readonly<Record<string, string>> = {
    "a request that never comes": "",
    "a request line that never ends": "GET /hello.txt HT",
    "headers that never end": "GET /hello.txt HTTP/1.1\r\nHost: localhost\r\nX: ",
    "a connection kept for nothing": "GET /hello.txt HTTP/1.1\r\nHost: localhost\r\n\r\n",
  };
  for (const [what, text] of Object.entries(unfinished)) {
    test(
      `${api} server: ${what} is not waited for for ever`,
      () =>
        withFixture(async (root) => {
          const server = await startServer(api, { root }, listen);
          try {
            const received = await rawRequest(server.port, text, { timeoutMs: 120_000 });
            const { status } = parseResponse(received);
            // Whatever it says of a request that never came whole, it is no file.
            assertEquals(status === 200, text.endsWith("\r\n\r\n"));
          } finally {
            await server.close(0);
          }
        }),
    );
  }

  const head = "HTTP/1.1\r\nHost: localhost\r\n";
  const length = "Content-Length: 100000\r\n";
  const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  const endless: Readonly<Record<string, readonly [text: string, drip: string]>> = {
    "a preface of HTTP/2": [preface, ""],
    "a preface of HTTP/2 with its settings": [`${preface}\0\0\0\x04\0\0\0\0\0`, ""],
    "a GET whose body never comes": [`GET /hello.txt ${head}${length}\r\n`, ""],
    "a GET whose body comes byte by byte": [`GET /hello.txt ${head}${length}\r\n`, "x"],
    "a POST whose body never comes": [`POST /hello.txt ${head}${length}\r\n`, ""],
    "a POST whose body comes byte by byte": [`POST /hello.txt ${head}${length}\r\n`, "x"],
    "chunks that never end": [
      `GET /hello.txt ${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`,
      "",
    ],
    "headers that come byte by byte": [`GET /hello.txt ${head}X: `, "x"],
  };
  for (const [what, [text, drip]] of Object.entries(endless)) {
    test(`${api} server: ${what} is cut off, and others are answered`, () =>
      withFixture(async (root) => {
        const server = await startServer(api, { root }, listen);
        try {
          await rawRequest(server.port, text, { timeoutMs: 120_000, drip });
          const ask = "GET /hello.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
          const { body } = parseResponse(await rawRequest(server.port, ask));
          assertEquals(body.toString(), "hello world\n");
        } finally {
          await server.close(0);
        }
      }));
  }

  test(`${api} server: the file of a client that stopped reading is closed`, () =>
    withFixture(async (root) => {
      await writeFile(join(root, "long.bin"), long);
      const server = await startServer(api, { root, idleTimeoutMs: 500 }, listen);
      const text = "GET /long.bin HTTP/1.1\r\nHost: localhost\r\n\r\n";
      let socket: Socket | undefined;
      try {
        socket = await beginReading(server.port, text, 10);
        assertEquals(await remainingFiles(root), []);
      } finally {
        socket?.destroy();
        await server.close(0);
      }
    }));

  test(`${api} server: an open answer is no idle connection, however slowly it is read`, () =>
    withFixture(async (root) => {
      await writeFile(join(root, "long.bin"), long);
      const server = await startServer(api, { root }, listen);
      try {
        // Several times what the server's limits give a connection that has no answer open.
        const text = "GET /long.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        const received = await rawRequest(server.port, text, {
          whilePaused: () => new Promise((resolve) => setTimeout(resolve, 6000)),
        });
        const { body, isWhole } = parseResponse(received);
        assertEquals([isWhole, body.equals(long)], [true, true]);
      } finally {
        await server.close(0);
      }
    }));

  test(`${api} server: closing lets an open answer end, and breaks off one that does not`, () =>
    withFixture(async (root) => {
      await writeFile(join(root, "long.bin"), long);
      const text = "GET /long.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      const server = await startServer(api, { root }, { ...listen, limits: {} });
      let closed: Promise<void> | undefined;
      const received = await rawRequest(server.port, text, {
        whilePaused() {
          closed = server.close(20_000);
          return Promise.resolve();
        },
      });
      assertEquals(parseResponse(received).isWhole, true);
      await closed;

      const other = await startServer(api, { root }, { ...listen, limits: {} });
      const cut = await rawRequest(other.port, text, { whilePaused: () => other.close(100) });
      assertEquals(parseResponse(cut).isWhole, false);
      assertEquals(await remainingFiles(root), []);
    }));
}
