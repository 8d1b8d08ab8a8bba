import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fileHandler } from "@hosepipe/streams/files";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { beginReading } from "./begin_reading.ts";
import { pattern, withFixture } from "./fixture.ts";
import { parseResponse, rawRequest } from "./raw_request.ts";

interface BunGlobal {
  serve(options: object): { readonly port: number; stop(isAtOnce: boolean): Promise<void> };
}

// More than all buffers of the system between the two take.
const long = pattern(24 * 2 ** 20);

/** How long Bun's clock may take to see that a second has passed, and some more. */
const pauseMs = 7000;

const skip = currentRuntime().name === "bun" ? false : "Bun's own server";

test(
  "a client of Bun.serve that has been given up is cut",
  { skip },
  () =>
    withFixture(async (root) => {
      await writeFile(join(root, "long.bin"), long);
      const { Bun } = globalThis as unknown as { Bun: BunGlobal };
      const fetch = fileHandler(root, { idleTimeoutMs: 500 });
      const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 30, fetch });
      try {
        const text = "GET /long.bin HTTP/1.1\r\nHost: localhost\r\n\r\n";
        const socket = await beginReading(server.port, text, 10);
        const isClosed = new Promise<boolean>((resolve) => {
          socket.once("close", () => resolve(true));
          setTimeout(() => resolve(false), 15_000);
        });
        // Long enough for Bun's clock; then what was under way is read, and the end seen.
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        socket.resume();
        assertEquals(await isClosed, true);
      } finally {
        await server.stop(true);
      }
    }),
);

test("a client of Bun.serve may pause for longer than that waits", {
  skip,
}, () =>
  withFixture(async (root) => {
    await writeFile(join(root, "long.bin"), long);
    const { Bun } = globalThis as unknown as { Bun: BunGlobal };
    const server = Bun.serve({
      ...{ hostname: "127.0.0.1", port: 0, idleTimeout: 1, fetch: fileHandler(root) },
    });
    try {
      const text = "GET /long.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      const received = await rawRequest(server.port, text, {
        whilePaused: () => new Promise((resolve) => setTimeout(resolve, pauseMs)),
      });
      const { body, isWhole } = parseResponse(received);
      assertEquals([isWhole, body.equals(long)], [true, true]);
    } finally {
      await server.stop(true);
    }
  }));
