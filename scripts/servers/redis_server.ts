import { type ChildProcess, spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import process from "node:process";
import { scriptCommand } from "../../bench/extract_far/script_command.ts";

/** A Redis of one's own, which can be killed and started again. */
export class RedisServer {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly port: number;
  #child: ChildProcess | undefined;

  constructor(folder: string, port: number, env: Readonly<Record<string, string>> = {}) {
    this.#folder = folder;
    this.#env = env;
    this.port = port;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(primary?: RedisServer): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const script = new URL("../redis/run.ts", import.meta.url);
    const [command, ...args] = scriptCommand(script);
    args.push("--data", this.#folder, "--port", `${this.port}`);
    if (primary !== undefined) args.push("--replica-of", `${primary.port}`);
    const child = spawn(command, args, {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...this.#env },
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout!.once("data", () => resolve());
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`Redis has ended with code ${code}`)));
    });
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    process.kill(child.pid!, "SIGHUP");
    await ended;
  }
}
