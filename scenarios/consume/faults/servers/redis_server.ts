import { mkdir } from "node:fs/promises";
import process from "node:process";
import { ServerProcess } from "./server_process.ts";

/** A Redis of one's own, which can be killed and started again. */
export class RedisServer {
  readonly #folder: string;
  readonly port: number;
  readonly #process: ServerProcess;

  constructor(folder: string, port: number, env: Readonly<Record<string, string>> = {}) {
    this.#folder = folder;
    this.port = port;
    const script = new URL("../../../../scripts/redis/run.ts", import.meta.url);
    this.#process = new ServerProcess("Redis", script, env);
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(primary?: RedisServer): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const flags = ["--data", this.#folder, "--port", `${this.port}`];
    if (primary !== undefined) flags.push("--replica-of", `${primary.port}`);
    await this.#process.start(flags);
  }

  /** Ends it as a crash does. */
  kill(): Promise<void> {
    return this.#process.kill((pid) => void process.kill(pid, "SIGHUP"));
  }
}
