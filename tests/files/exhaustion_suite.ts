import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { pattern, withFixture } from "./fixture.ts";
import { remainingFiles } from "./open_files.ts";
import { parseResponse, rawRequest } from "./raw_request.ts";
import { type ProcessApi, withServerProcess } from "./with_server_process.ts";

const headers = "HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** What 200 clients ask for before they read no more: nothing, part of a request, or a long file. */
const rounds = ["", "GET /hello.txt HT", `GET /long.bin ${headers}`];

/** Connects, asks, and reads nothing, until it is called off. */
function occupy(port: number, text: string): () => void {
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  socket.on("error", () => {});
  if (text !== "") socket.write(text);
  return () => socket.destroy();
}

/** Whether the server answers within five seconds, which each attempt has a part of. */
async function recovers(port: number): Promise<boolean> {
  const text = `GET /hello.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  const until = performance.now() + 5000;
  while (performance.now() < until) {
    const timeoutMs = Math.max(1, Math.min(1000, until - performance.now()));
    const bytes = await rawRequest(port, text, { timeoutMs }).catch(() => undefined);
    if (bytes !== undefined && parseResponse(bytes).body.toString() === "hello world\n") {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

/** 200 clients of a server that may have 64 files open: when they have left, it answers again. */
export function exhaustionSuite(api: ProcessApi): void {
  const skip = process.platform === "win32" ? "no ulimit there" : false;
  test(
    `${api} server: three times out of files, it recovers within 5 s`,
    { skip },
    () =>
      withFixture(async (root) => {
        await writeFile(join(root, "long.bin"), pattern(16 * 2 ** 20));
        await withServerProcess(api, root, async ({ port, processId, state }) => {
          assert(await recovers(port), "before the first round");
          for (const [index, text] of rounds.entries()) {
            const leave = Array.from({ length: 200 }, () => occupy(port, text));
            await new Promise((resolve) => setTimeout(resolve, 1200));
            for (const one of leave) one();
            const isBack = await recovers(port);
            const { unhandled, troubles } = await state();
            const message = `round ${index + 1}: ${troubles.join("; ")}`;
            assertEquals([isBack, unhandled], [true, 0], message);
          }
          assertEquals(await remainingFiles(root, processId), []);
        }, { files: 64 });
      }),
  );
}
