import { writeFile } from "node:fs/promises";
import { type ClientHttp2Stream, connect } from "node:http2";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { pattern, withFixture } from "./fixture.ts";
import { openFiles, remainingFiles } from "./open_files.ts";
import { parseResponse, rawRequest } from "./raw_request.ts";
import { withServerProcess } from "./with_server_process.ts";

const ask = "GET /hello.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
const isDeno = currentRuntime().name === "deno";

for (const api of ["web", "node"] as const) {
  const what = isDeno && api === "web" ? "takes one file at a time" : "is refused";
  test(`${api} server: HTTP/2 without TLS ${what}`, () =>
    withFixture(async (root) => {
      await writeFile(join(root, "long.bin"), pattern(16 * 2 ** 20));
      await withServerProcess(api, root, async ({ port, processId, state }) => {
        assertEquals(parseResponse(await rawRequest(port, ask)).status, 200);
        const { rssMiB: idleMiB } = await state();
        const session = connect(`http://127.0.0.1:${port}`);
        session.on("error", () => {});
        const closed = new Promise<void>((resolve) => session.once("close", () => resolve()));
        const streams: ClientHttp2Stream[] = [];
        let answers = 0;
        const first = new Promise<void>((resolve) => {
          for (let count = 0; count < 80; count++) {
            // Nothing is read, so that each answer stays open.
            const stream = session.request({ ":path": "/long.bin" });
            stream.on("error", () => {});
            stream.on("response", () => {
              answers++;
              resolve();
            });
            stream.pause();
            streams.push(stream);
          }
        });
        await Promise.race([first, closed]);
        for (let round = 0; round < 5; round++) {
          assertEquals(parseResponse(await rawRequest(port, ask)).status, 200);
        }
        const open = openFiles(root, processId).filter((path) => path.endsWith("long.bin"));
        const { rssMiB, unhandled } = await state();
        assertEquals([answers > 0, unhandled], [isDeno && api === "web", 0]);
        // A large file is opened by Deno's own means before the first descriptor is closed.
        assert(open.length <= 2 && answers <= 1, `${open.length} files, ${answers} answers`);
        assert(rssMiB - idleMiB <= 40, `${rssMiB - idleMiB} MiB more than before`);
        for (const stream of streams) stream.close();
        session.destroy();
        assertEquals(await remainingFiles(root, processId), []);
        assertEquals(parseResponse(await rawRequest(port, ask)).status, 200);
      });
    }));
}
