import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import type { ServeApi } from "../../../scenarios/serve/start_server.ts";

/** What a server's process says of itself. */
export interface ServerState {
  readonly unhandled: number;
  readonly rssMiB: number;
}

/** A server in a process of its own. */
export interface ServerProcess {
  readonly port: number;
  readonly processId: number;
  state(): Promise<ServerState>;
}

const script = fileURLToPath(new URL("server_process.ts", import.meta.url));
const register = new URL("../../../node_compat/register.mjs", import.meta.url).href;
const runtimeArguments = {
  deno: ["run", "--allow-all", "--no-check"],
  bun: ["run"],
  node: ["--import", register],
}[currentRuntime().name];

/** Serves `root` in another process of this runtime for as long as `use` takes. */
export async function withServerProcess(
  api: ServeApi,
  root: string,
  use: (server: ServerProcess) => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, [...runtimeArguments, script, api, root], {
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
