import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The command that runs a file of this project, of node:* modules alone, in the runtime that this is. */
function scriptCommand(file: URL, ...args: readonly string[]): [string, ...string[]] {
  const isDeno = process.versions.deno !== undefined;
  const flags = isDeno ? ["run", "--quiet", "-A"] : [];
  return [process.execPath, ...flags, fileURLToPath(file), ...args];
}

/** A script that runs a server, and prints a line once that answers. */
export class ServerProcess {
  readonly #name: string;
  readonly #script: URL;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  constructor(name: string, script: URL, env: Readonly<Record<string, string>>) {
    this.#name = name;
    this.#script = script;
    this.#env = env;
  }

  async start(flags: readonly string[]): Promise<void> {
    const [command, ...args] = scriptCommand(this.#script);
    const child = spawn(command, [...args, ...flags], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...this.#env },
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout!.once("data", () => resolve());
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`${this.#name} has ended with code ${code}`)));
    });
  }

  /** Lets `end` kill what runs, and waits until it has gone; nothing if it has gone before. */
  async kill(end: (pid: number) => void | Promise<void>): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await end(child.pid!);
    await ended;
  }
}
