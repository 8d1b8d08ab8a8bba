import { open, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { type ServeApi, startServer } from "../../../scenarios/serve/start_server.ts";
import { pattern, withFixture } from "./fixture.ts";
import { remainingFiles } from "./open_files.ts";
import { parseResponse, rawRequest } from "./raw_request.ts";

// More than the buffers of two sockets take, so that the server cannot have sent it all.
const bytes = pattern(48 * 2 ** 20);

const changes: Readonly<Record<string, (path: string) => Promise<void>>> = {
  "becomes shorter": (path) => truncate(path, 4096),
  "is emptied": (path) => writeFile(path, ""),
  "is overwritten in place": async (path) => {
    const handle = await open(path, "r+");
    await handle.write(new Uint8Array(bytes.length).fill(0xee), 0, bytes.length, 0);
    await handle.close();
  },
  "grows": async (path) => {
    const handle = await open(path, "a");
    await handle.write("more");
    await handle.close();
  },
  "is replaced": async (path) => {
    await writeFile(`${path}.new`, new Uint8Array(bytes.length).fill(0xee));
    await rename(`${path}.new`, path);
  },
  "is removed": (path) => rm(path),
};

/** Changes a file while it is sent: what arrives must be a part of the old one, and be seen to be cut. */
export function changeSuite(api: ServeApi): void {
  for (const [what, change] of Object.entries(changes)) {
    const skip = process.platform === "win32" ? "an open file is locked there" : false;
    test(
      `${api} server: a file that ${what} while it is sent breaks the connection`,
      { skip },
      () =>
        withFixture(async (root) => {
          const path = join(root, "changing.bin");
          await writeFile(path, bytes);
          // A file that has only just been written is never read by Deno's own means.
          await new Promise((resolve) => setTimeout(resolve, 250));
          const server = await startServer(api, { root }, { host: "127.0.0.1", port: 0 });
          try {
            const text =
              "GET /changing.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            const received = await rawRequest(server.port, text, {
              whilePaused: () => change(path),
            });
            // A reset connection may lose what lay in its buffers, a part of the head included.
            if (received.includes("\r\n\r\n")) {
              const { status, body, isWhole } = parseResponse(received);
              assertEquals([status, isWhole], [200, false]);
              assert(body.length < bytes.length, `${body.length} bytes came`);
              assert(body.equals(bytes.subarray(0, body.length)), "what came is the old file's");
            }
            assertEquals(await remainingFiles(root), []);
          } finally {
            await server.close(1000);
          }
        }),
    );
  }
}
