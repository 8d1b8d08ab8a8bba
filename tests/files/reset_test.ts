import type { Buffer } from "node:buffer";
import { execFile } from "node:child_process";
import { connect, type Socket } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { withFixture } from "./fixture.ts";
import { parseResponse, rawRequest } from "./raw_request.ts";
import { type ProcessApi, withServerProcess } from "./with_server_process.ts";

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
    this.#socket.write("GET /hello.txt HTTP/1.1\r\nHost: localhost\r\n\r\n");
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
const text = "GET /hello.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/** As many as wait to be accepted in each runtime. */
const resets = 100;
const clients = 20;

/** Clients that have reset their connections before the server, which stands still meanwhile, accepts them. */
function resetSuite(api: ProcessApi): void {
  const skip = process.platform === "win32" ? "no signal stops a process there" : false;
  test(
    `${api} server: resets before an accept take nothing from other clients`,
    { skip },
    () =>
      withFixture((root) =>
        withServerProcess(api, root, async ({ port, processId, state }) => {
          const others = Array.from({ length: clients }, () => new KeptConnection(port));
          try {
            for (const other of others) assert(await other.ask());
            for (let round = 0; round < 3; round++) {
              process.kill(processId, "SIGSTOP");
              try {
                await promisify(execFile)("python3", [resetConnections, `${port}`, `${resets}`]);
              } finally {
                process.kill(processId, "SIGCONT");
              }
              const bytes = await rawRequest(port, text);
              assertEquals(parseResponse(bytes).body.toString(), "hello world\n");
              const kept = await Promise.all(others.map((other) => other.ask()));
              assertEquals(kept.filter((isKept) => isKept).length, clients, `round ${round}`);
            }
            assertEquals((await state()).unhandled, 0);
          } finally {
            for (const other of others) other.close();
          }
        })
      ),
  );
}

resetSuite("web");
resetSuite("node");
if (currentRuntime().name === "deno") resetSuite("deno-serve");
