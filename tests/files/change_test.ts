import { appendFileSync } from "node:fs";
import {
  appendFile,
  chmod,
  link,
  open,
  rename,
  rm,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { serveApis } from "../../scenarios/serve/start_server.ts";
import { pattern } from "./fixture.ts";
import { ask, parseResponse, rawRequest, requestText } from "./raw_request.ts";
import { withOwnServer } from "./with_server_process.ts";

// More than the buffers of two sockets take, so that the server cannot have sent it all.
const bytes = pattern(48 * 2 ** 20);

type Change = (path: string) => Promise<void>;

async function overwrite(path: string): Promise<void> {
  const handle = await open(path, "r+");
  await handle.write(new Uint8Array(bytes.length).fill(0xee), 0, bytes.length, 0);
  await handle.close();
}

/** What a file that is being sent can become, and whether what was promised of it still holds then. */
const changes: readonly (readonly [what: string, isSent: boolean, change: Change])[] = [
  ["becomes shorter", false, (path) => truncate(path, 4096)],
  ["is emptied", false, (path) => writeFile(path, "")],
  ["is overwritten in place", false, overwrite],
  ["is touched", false, (path) => utimes(path, new Date(), new Date())],
  ["grows", true, (path) => appendFile(path, "more")],
  ["is replaced by a rename", true, async (path) => {
    await writeFile(`${path}.new`, new Uint8Array(bytes.length).fill(0xee));
    await rename(`${path}.new`, path);
  }],
  ["is renamed", true, (path) => rename(path, `${path}.old`)],
  ["is removed", true, (path) => rm(path)],
  ["gets another name", true, (path) => link(path, `${path}.link`)],
  ["gets other permissions", true, (path) => chmod(path, 0o600)],
];

for (const api of serveApis) {
  // What arrives is the old file, whole or seen to be cut.
  const skip = process.platform === "win32" ? "an open file is locked there" : false;
  for (const [what, isSent, change] of changes) {
    const title = isSent ? "arrives whole" : "breaks the connection";
    test(
      `${api} server: a file that ${what} while it is sent ${title}`,
      { skip },
      () =>
        withOwnServer(api, async ({ root, port }) => {
          const path = join(root, "changing.bin");
          await writeFile(path, bytes);
          const received = await rawRequest(port, requestText("/changing.bin"), {
            whilePaused: () => change(path),
          });
          // A reset connection may lose what lay in its buffers, a part of the head included.
          if (!isSent && !received.includes("\r\n\r\n")) return;
          const { status, body, isWhole } = parseResponse(received);
          assertEquals([status, isWhole], [200, isSent]);
          assertEquals(body.length === bytes.length, isSent, `${body.length} bytes came`);
          assert(body.equals(bytes.subarray(0, body.length)), "what came is the old file's");
        }, { onError() {} }),
    );
  }

  test(`${api} server: of a file that grows all the time, each answer is what there was at its start`, () =>
    withOwnServer(api, async ({ root, port }) => {
      const path = join(root, "changing.bin");
      const start = bytes.subarray(0, 2 ** 20);
      await writeFile(path, start);
      // A log: what is appended can be told by its place.
      let size = start.length;
      const timer = setInterval(() => {
        appendFileSync(path, bytes.subarray(size, size + 1000));
        size += 1000;
      }, 5);
      try {
        for (let count = 0; count < 200; count++) {
          const { status, body, isWhole } = await ask(port, "/changing.bin");
          assertEquals([status, isWhole], [200, true], `answer ${count}`);
          assert(body.length >= start.length && body.length <= size);
          assert(body.equals(bytes.subarray(0, body.length)), `answer ${count}`);
        }
      } finally {
        clearInterval(timer);
      }
    }));
}
