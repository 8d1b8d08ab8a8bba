import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { ServerProcess } from "./server_process.ts";

/** A PostgreSQL of one's own, which can be killed and started again. */
export class PostgresServer {
  readonly #folder: string;
  readonly #port: number;
  readonly #process: ServerProcess;

  constructor(folder: string, port: number, env: Readonly<Record<string, string>> = {}) {
    this.#folder = folder;
    this.#port = port;
    const script = new URL("../../../../scripts/postgres/run.ts", import.meta.url);
    this.#process = new ServerProcess("PostgreSQL", script, env);
  }

  get uri(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  start(): Promise<void> {
    return this.#process.start(["--data", this.#folder, "--port", `${this.#port}`]);
  }

  /** At once, with no checkpoint, so that it recovers when it is started again: what is shared is not left behind. */
  kill(): Promise<void> {
    return this.#process.kill(async () => {
      const file = join(this.#folder, "data/postmaster.pid");
      const [pid] = (await readFile(file, "utf8")).split("\n");
      process.kill(Number(pid), "SIGQUIT");
    });
  }
}
