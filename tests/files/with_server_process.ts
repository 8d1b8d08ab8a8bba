import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { descriptors } from "../../runtimes/descriptors.ts";
import type { ListenOptions, RunningServer } from "../../scenarios/serve/running_server.ts";
import {
  type ServeApi,
  serveApis,
  type ServeOptions,
  startServer,
} from "../../scenarios/serve/start_server.ts";
import { pattern, withFixture } from "./fixture.ts";
import { remainingFiles } from "./open_files.ts";
import { ask } from "./raw_request.ts";
import process from "node:process";

/** What a server's process says of itself. */
export interface ServerState {
  readonly unhandled: number;
  readonly rssMiB: number;
  /** What `onTrouble` was told, one text for each time. */
  readonly troubles: readonly string[];
}

/** What runs in the process: a kind of streams, or the server of a Deno that has only `Deno.serve`. */
export type ProcessApi = ServeApi | "deno-serve";

/** Every one that the current runtime has. */
export const processApis: readonly ProcessApi[] = currentRuntime().name === "deno"
  ? [...serveApis, "deno-serve"]
  : serveApis;

/** How the process is started. */
export interface ProcessOptions {
  /** How many files it may have open; default: as many as we. */
  readonly files?: number;
  readonly idleTimeoutMs?: number;
  /** What `/long.bin` holds. */
  readonly long?: Uint8Array;
}

/** A server in a process of its own. */
export interface ServerProcess {
  readonly root: string;
  readonly port: number;
  readonly processId: number;
  state(): Promise<ServerState>;
  /** Asks for a small file, which must come. */
  assertAnswers(): Promise<void>;
  /** The files that it holds open once there has been time to close them. */
  remaining(): Promise<string[]>;
}

const script = fileURLToPath(new URL("server_process.ts", import.meta.url));
const runtimeArguments = descriptors[currentRuntime().name].runArguments();

/**
 * Serves the fixture in another process of this runtime for as long as `use` takes; it must have answered before, and in
 * the end hold no file and have had no unhandled error.
 */
export function withServerProcess(
  api: ProcessApi,
  use: (server: ServerProcess) => Promise<void>,
  { files, idleTimeoutMs, long }: ProcessOptions = {},
): Promise<void> {
  return withFixture(async (root) => {
    if (long !== undefined) await writeFile(join(root, "long.bin"), long);
    const command = [...runtimeArguments, script, api, root, String(idleTimeoutMs)];
    const limited = `${files === undefined ? "" : `ulimit -n ${files}; `}exec "$@"`;
    const child = spawn("sh", ["-c", limited, "sh", process.execPath, ...command], {
      // Where Bun tells of a body that broke off, which is what we ask it to do.
      stdio: ["pipe", "pipe", "ignore"],
    });
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const answer = async () => {
      const { done, value } = await lines.next();
      if (done) throw new Error("the server's process has died");
      return JSON.parse(value);
    };
    const state = (): Promise<ServerState> => {
      child.stdin!.write("state\n");
      return answer();
    };
    try {
      const { port, processId } = await answer();
      const remaining = () => remainingFiles(root, processId);
      const assertAnswers = async () =>
        assertEquals((await ask(port, "/hello.txt")).body.toString(), "hello world\n");
      await assertAnswers();
      await use({ root, port, processId, state, assertAnswers, remaining });
      assertEquals(await remaining(), []);
      assertEquals((await state()).unhandled, 0);
    } finally {
      child.stdin!.end();
      await exited;
    }
  });
}

/** More than all buffers of the system between a server and a client take. */
export const long = pattern(24 * 2 ** 20);

/** What `deno task serve` runs, in this process. */
export interface OwnServer extends RunningServer {
  readonly root: string;
  readonly base: string;
}

/** Serves the fixture and a long file for as long as `use` takes; in the end no file may be open. */
export function withOwnServer(
  api: ServeApi,
  use: (server: OwnServer) => Promise<void>,
  options: Omit<ServeOptions, "root"> = {},
  limits: ListenOptions["limits"] = {},
): Promise<void> {
  return withFixture(async (root, base) => {
    await writeFile(join(root, "long.bin"), long);
    const where = { host: "127.0.0.1", port: 0, limits };
    const server = await startServer(api, { root, ...options }, where);
    const { port } = server;
    let closed: Promise<void> | undefined;
    const close = (graceMs: number) => closed ??= server.close(graceMs);
    try {
      await use({ root, base, port, close });
      assertEquals(await remainingFiles(base), []);
    } finally {
      await close(0);
    }
  });
}
