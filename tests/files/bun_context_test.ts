import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fileHandler } from "@hosepipe/streams/files";
import { bunContext } from "../../src/files/bun_context.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { pattern, withFixture } from "./fixture.ts";
import { parseResponse, rawRequest } from "./raw_request.ts";

interface BunGlobal {
  serve(options: object): { readonly port: number; stop(isAtOnce: boolean): Promise<void> };
}

// More than all buffers of the system between the two take.
const long = pattern(24 * 2 ** 20);

/** How long Bun's clock may take to see that a second has passed, and some more. */
const pauseMs = 7000;

test("a client that is given up is cut, and others get time for what buffers hold", () => {
  const calls: number[] = [];
  const server = { timeout: (_request: Request, seconds: number) => void calls.push(seconds) };
  const contextOf = () => bunContext(server, new Request("http://localhost/"));
  const still = contextOf();
  still.onBody();
  still.onIdle();
  // The file is closed only then.
  still.onEnd(200, 1_000_000);
  const read = contextOf();
  read.onBody();
  read.onEnd(200, 1_000_000);
  contextOf().onEnd(200, 100);
  assertEquals(calls, [0, 1, 0, 255]);
});

test("a client of Bun.serve may pause for longer than that waits", {
  skip: currentRuntime().name === "bun" ? false : "Bun's own server",
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
