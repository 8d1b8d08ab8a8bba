import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";

/** The program built of `scripts/nats`. */
const program = process.env.HOSEPIPE_NATS_SERVER;

/** One NATS server, as a process of its own that ends with this one. */
export class NatsServer {
  readonly #args: readonly string[];
  readonly port: number;
  #child: ChildProcess | undefined;

  constructor(port: number, data: string, ...args: readonly string[]) {
    this.port = port;
    this.#args = ["--with-parent", "--port", `${port}`, "--data", data, ...args];
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** Fulfils once clients may connect. */
  async start(): Promise<void> {
    if (!program) {
      throw new Error("HOSEPIPE_NATS_SERVER must name the program built of scripts/nats");
    }
    const child = spawn(program, [...this.#args], { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout!.once("data", () => resolve());
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`NATS has ended with code ${code}`)));
    });
  }

  /** Ends it as a crash does. */
  async kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    process.kill(child.pid!, signal);
    await ended;
    this.#child = undefined;
  }
}
