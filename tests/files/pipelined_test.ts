import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { pattern, withFixture } from "./fixture.ts";
import { openFiles, remainingFiles } from "./open_files.ts";
import { parseResponse, rawRequest } from "./raw_request.ts";
import { type ProcessApi, withServerProcess } from "./with_server_process.ts";

const host = "HTTP/1.1\r\nHost: localhost\r\n";
const ask = `GET /hello.txt ${host}Connection: close\r\n\r\n`;

/** Deno opens a large file by its own means before it closes the first descriptor. */
const mostOpen = currentRuntime().name === "deno" ? 2 : 1;

/** Clients that ask ahead on one connection, and read nothing. */
function pipelinedSuite(api: ProcessApi): void {
  test(`${api} server: a client that asks ahead and reads nothing takes one file`, () =>
    withFixture(async (root) => {
      await writeFile(join(root, "long.bin"), pattern(16 * 2 ** 20));
      await withServerProcess(api, root, async ({ port, processId, state }) => {
        assertEquals(parseResponse(await rawRequest(port, ask)).status, 200);
        const { rssMiB: idleMiB } = await state();
        for (const count of [20, 1000]) {
          const socket = connect(port, "127.0.0.1");
          socket.on("error", () => {});
          socket.pause();
          socket.write(`GET /long.bin ${host}\r\n`.repeat(count));
          for (let round = 0; round < 5; round++) {
            const { body } = parseResponse(await rawRequest(port, ask));
            assertEquals(body.toString(), "hello world\n");
            // The file of the answer that has just come may still be closing.
            const open = openFiles(root, processId).filter((path) => path.endsWith("long.bin"));
            assert(open.length <= mostOpen, `${open.length} files are open`);
          }
          const { rssMiB, unhandled } = await state();
          assertEquals(unhandled, 0);
          assert(rssMiB - idleMiB <= 40, `${rssMiB - idleMiB} MiB more than before`);
          socket.destroy();
          // Closed before the next client comes.
          assertEquals(await remainingFiles(root, processId), []);
        }
      }, { files: 1024 });
    }));

  // Bun.serve closes the connection of a client that asks ahead while an answer is being made.
  const skip = api === "web" && currentRuntime().name === "bun"
    ? "Bun.serve has no pipelining"
    : false;
  test(
    `${api} server: answers to requests that were sent at once come in order`,
    { skip },
    () =>
      withFixture((root) =>
        withServerProcess(api, root, async ({ port }) => {
          const names = [
            "hello.txt",
            "big.bin",
            "missing",
            "sub/inner.txt",
            "big.bin",
            "hello.txt",
          ];
          const text = names.map((name) => `GET /${name} ${host}\r\n`).join("") + ask;
          const received = await rawRequest(port, text);
          const statuses = received.toString("latin1").match(/HTTP\/1\.1 \d{3}/g)!
            .map((line) => Number(line.slice(-3)));
          assertEquals(statuses, [200, 200, 404, 200, 200, 200, 200]);
        })
      ),
  );
}

pipelinedSuite("web");
pipelinedSuite("node");
