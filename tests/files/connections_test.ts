import type { Buffer } from "node:buffer";
import { execFile } from "node:child_process";
import { type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { serveApis } from "../../scenarios/serve/start_server.ts";
import { pattern } from "./fixture.ts";
import { openFiles } from "./open_files.ts";
import { rawRequest, requestText } from "./raw_request.ts";
import { processApis, type ServerProcess, withServerProcess } from "./with_server_process.ts";

const runtime = currentRuntime().name;
const isDeno = runtime === "deno";
const long = pattern(16 * 2 ** 20);
const keep = (target: string) => requestText(target, { Connection: "keep-alive" });

/** While a client holds what it can, others are answered, and it holds little of the server. */
async function assertHoldsLittle(
  { root, processId, assertAnswers, state }: ServerProcess,
  idleMiB: number,
): Promise<void> {
  for (let round = 0; round < 5; round++) {
    await assertAnswers();
    // Deno opens a large file by its own means before it closes the first descriptor.
    const open = openFiles(root, processId).filter((path) => path.endsWith("long.bin"));
    assert(open.length <= (isDeno ? 2 : 1), `${open.length} files are open`);
  }
  const { rssMiB } = await state();
  assert(rssMiB - idleMiB <= 40, `${rssMiB - idleMiB} MiB more than before`);
}

for (const api of serveApis) {
  test(`${api} server: a client that asks ahead and reads nothing takes one file`, () =>
    withServerProcess(api, async (server) => {
      const { rssMiB: idleMiB } = await server.state();
      for (const count of [20, 1000]) {
        const socket = connect(server.port, "127.0.0.1");
        socket.on("error", () => {});
        socket.pause();
        socket.write(keep("/long.bin").repeat(count));
        await assertHoldsLittle(server, idleMiB);
        socket.destroy();
        // Closed before the next client comes.
        assertEquals(await server.remaining(), []);
      }
    }, { files: 1024, long }));

  // Bun.serve closes the connection of a client that asks ahead while an answer is being made.
  const skip = api === "web" && runtime === "bun" ? "Bun.serve has no pipelining" : false;
  test(
    `${api} server: answers to requests that were sent at once come in order`,
    { skip },
    () =>
      withServerProcess(api, async ({ port }) => {
        const names = ["hello.txt", "big.bin", "missing", "sub/inner.txt", "big.bin"];
        const text = names.map((name) => keep(`/${name}`)).join("") + requestText("/hello.txt");
        const received = (await rawRequest(port, text)).toString("latin1");
        const statuses = received.match(/(?<=HTTP\/1\.1 )\d{3}/g)!.map(Number);
        assertEquals(statuses, [200, 200, 404, 200, 200, 200]);
      }),
  );

  const what = isDeno && api === "web" ? "takes one file at a time" : "is refused";
  test(`${api} server: HTTP/2 without TLS ${what}`, () =>
    withServerProcess(api, async (server) => {
      const { rssMiB: idleMiB } = await server.state();
      const session = connectHttp2(`http://127.0.0.1:${server.port}`);
      session.on("error", () => {});
      const closed = new Promise<void>((resolve) => session.once("close", () => resolve()));
      let answers = 0;
      const first = Promise.withResolvers<void>();
      const streams = Array.from({ length: 80 }, (): ClientHttp2Stream => {
        // Nothing is read, so that each answer stays open.
        const stream = session.request({ ":path": "/long.bin" });
        stream.on("error", () => {});
        stream.on("response", () => {
          answers++;
          first.resolve();
        });
        return stream.pause();
      });
      await Promise.race([first.promise, closed]);
      await assertHoldsLittle(server, idleMiB);
      assertEquals(answers, isDeno && api === "web" ? 1 : 0);
      for (const stream of streams) stream.close();
      session.destroy();
      assertEquals(await server.remaining(), []);
      await server.assertAnswers();
    }, { long }));
}

/** A client that keeps its connection from one request to the next. */
class KeptConnection {
  readonly #socket: Socket;
  #received = "";
  #look: () => void = () => {};
  isClosed = false;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("data", (part: Buffer) => {
      this.#received += part.toString("latin1");
      this.#look();
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.isClosed = true;
      this.#look();
    });
  }

  /** Asks for `hello.txt`; tells whether it came, over the same connection. */
  async ask(): Promise<boolean> {
    this.#received = "";
    this.#socket.write(keep("/hello.txt"));
    await new Promise<void>((resolve) => {
      this.#look = () => {
        if (this.isClosed || this.#received.endsWith("hello world\n")) resolve();
      };
      this.#look();
    });
    return !this.isClosed;
  }

  close(): void {
    this.#socket.destroy();
  }
}

const resetConnections = fileURLToPath(new URL("_reset_connections.py", import.meta.url));

// Clients that have reset their connections before the server, which stands still meanwhile, accepts them.
for (const api of processApis) {
  const skip = process.platform === "win32" ? "no signal stops a process there" : false;
  test(
    `${api} server: resets before an accept take nothing from other clients`,
    { skip },
    () =>
      withServerProcess(api, async ({ port, processId, assertAnswers }) => {
        const others = Array.from({ length: 20 }, () => new KeptConnection(port));
        try {
          for (const other of others) assert(await other.ask());
          for (let round = 0; round < 3; round++) {
            process.kill(processId, "SIGSTOP");
            try {
              // As many as wait to be accepted in each runtime.
              await promisify(execFile)("python3", [resetConnections, `${port}`, "100"]);
            } finally {
              process.kill(processId, "SIGCONT");
            }
            await assertAnswers();
            const kept = await Promise.all(others.map((other) => other.ask()));
            assertEquals(kept, others.map(() => true), `round ${round}`);
          }
        } finally {
          for (const other of others) other.close();
        }
      }),
  );
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
