import { mkdir } from "node:fs/promises";
import process from "node:process";
import { ServerProcess } from "./server_process.ts";

/** A Kafka of one's own, which can be killed and started again. */
export class KafkaServer {
  readonly #folder: string;
  readonly port: number;
  readonly #process: ServerProcess;

  constructor(folder: string, port: number, env: Readonly<Record<string, string>> = {}) {
    this.#folder = folder;
    this.port = port;
    const script = new URL("../../../../scripts/kafka/run.ts", import.meta.url);
    this.#process = new ServerProcess("Kafka", script, env);
  }

  get broker(): string {
    return `127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await this.#process.start(["--data", this.#folder, "--port", `${this.port}`]);
  }

  /** Ends it as a crash does. */
  kill(): Promise<void> {
    return this.#process.kill((pid) => void process.kill(pid, "SIGHUP"));
  }
}
