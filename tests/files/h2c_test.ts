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

test("an answer whose client has left before its file was opened is given up", {
  skip: isDeno ? false : "Deno's own server",
}, async () => {
  const { DenoConnection } = await import("../../scenarios/serve/deno_connection.ts");
  const signals: AbortSignal[] = [];
  const handler = (_request: Request, context?: { readonly signal?: AbortSignal }) => {
    signals.push(context!.signal!);
    return Promise.resolve(new Response());
  };
  type Ask = (request: Request, info: object) => Promise<Response>;
  let ask!: Ask;
  const finished = Promise.withResolvers<void>();
  const serve = (_connection: object, signal: AbortSignal, answer: Ask) => {
    ask = answer;
    signal.addEventListener("abort", () => {
      throw new Error("Bad resource ID, as Deno says of a connection that has ended");
    });
    return { finished: finished.promise, shutdown: () => Promise.resolve() };
  };
  const listen = { host: "127.0.0.1", port: 0 };
  const connection = new DenoConnection(serve as never, {} as never, handler, listen);
  const begin = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const info = { completed: promise, remoteAddr: { hostname: "127.0.0.1" } };
    return { answer: ask(new Request("http://localhost/"), info), resolve, reject };
  };
  const [first, second, third] = [begin(), begin(), begin()];
  assertEquals(signals.length, 1);
  // One that leaves before its turn is not even asked for.
  second.reject(new Error("reset"));
  first.reject(new Error("reset"));
  assertEquals([(await second.answer).status, (await third.answer).status], [503, 200]);
  assertEquals(signals.map((signal) => signal.aborted), [true, false]);
  assertEquals(connection.isIdle, false);
  third.resolve();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals([signals[1]!.aborted, connection.isIdle], [true, true]);
  // Deno's own listener fails where the connection has ended by itself; uncaught, that would end the process.
  let uncaught = 0;
  const note = (event: Event) => {
    event.preventDefault();
    uncaught++;
  };
  globalThis.addEventListener("error", note);
  connection.abort();
  await new Promise((resolve) => setTimeout(resolve, 0));
  globalThis.removeEventListener("error", note);
  assertEquals(uncaught, 0);
  finished.resolve();
  await connection.closed;
});
