import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { scriptCommand } from "../../bench/extract_far/script_command.ts";

/** A PostgreSQL of one's own, which can be killed and started again. */
export class PostgresServer {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #port: number;
  #child: ChildProcess | undefined;

  constructor(folder: string, port: number, env: Readonly<Record<string, string>> = {}) {
    this.#folder = folder;
    this.#env = env;
    this.#port = port;
  }

  get uri(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  async start(): Promise<void> {
    const script = new URL("../postgres/run.ts", import.meta.url);
    const [command, ...args] = scriptCommand(script);
    const child = spawn(command, [...args, "--data", this.#folder, "--port", `${this.#port}`], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...this.#env },
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout!.once("data", () => resolve());
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`PostgreSQL has ended with code ${code}`)));
    });
  }

  /** At once, with no checkpoint, so that it recovers when it is started again: what is shared is not left behind. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const [pid] = (await readFile(join(this.#folder, "data/postmaster.pid"), "utf8")).split("\n");
    process.kill(Number(pid), "SIGQUIT");
    await ended;
  }
}
