import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { descriptors } from "../../runtimes/descriptors.ts";
import type { ServeApi } from "../../scenarios/serve/start_server.ts";

/** What a server's process says of itself. */
export interface ServerState {
  readonly unhandled: number;
  readonly rssMiB: number;
  /** What `onTrouble` was told, one text for each time. */
  readonly troubles: readonly string[];
}

/** What runs in the process: a kind of streams, or the server of a Deno that has only `Deno.serve`. */
export type ProcessApi = ServeApi | "deno-serve";

/** How the process is started. */
export interface ProcessOptions {
  /** How many files it may have open; default: as many as we. */
  readonly files?: number;
  readonly idleTimeoutMs?: number;
}

/** A server in a process of its own. */
export interface ServerProcess {
  readonly port: number;
  readonly processId: number;
  state(): Promise<ServerState>;
}

const script = fileURLToPath(new URL("server_process.ts", import.meta.url));
const runtimeArguments = descriptors[currentRuntime().name].runArguments();

/** Serves `root` in another process of this runtime for as long as `use` takes. */
export async function withServerProcess(
  api: ProcessApi,
  root: string,
  use: (server: ServerProcess) => Promise<void>,
  { files, idleTimeoutMs }: ProcessOptions = {},
): Promise<void> {
  const command = [process.execPath, ...runtimeArguments, script, api, root, String(idleTimeoutMs)];
  const limited = ["sh", "-c", `ulimit -n ${files}; exec "$@"`, "sh", ...command];
  const [program, ...args] = files === undefined ? command : limited;
  const child = spawn(program!, args, {
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
  try {
    const { port, processId } = await answer();
    await use({
      port,
      processId,
      state() {
        child.stdin!.write("state\n");
        return answer();
      },
    });
  } finally {
    child.stdin!.end();
    await exited;
  }
}
