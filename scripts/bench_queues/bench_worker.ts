import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { WorkerSaid } from "../../bench/queues/worker.ts";
import { commandOf } from "../../runtimes/command_of.ts";
import type { Runtime } from "../../runtimes/find_runtime.ts";

const script = fileURLToPath(new URL("../../bench/queues/worker.ts", import.meta.url));

/** A process in which a contestant works. It ends with this one. */
export class BenchWorker {
  readonly ready: Promise<void>;
  /** With how long each timed message took, in milliseconds. */
  readonly ended: Promise<readonly number[]>;
  stored = 0;
  cpuMs = 0;
  /** Why it has ended before it was asked to. */
  failure: Error | undefined;
  readonly #child: ChildProcess;

  constructor(runtime: Runtime, module: string, address: string, savesItself: boolean) {
    const [command, ...args] = commandOf(runtime, script, [module, address, `${savesItself}`]);
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    child.stdin!.on("error", () => {});
    const ready = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<readonly number[]>();
    this.ready = ready.promise;
    this.ended = ended.promise;
    ended.promise.catch(() => {});
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const said = JSON.parse(line) as WorkerSaid;
      this.stored = said.stored;
      this.cpuMs = said.cpuMicroseconds / 1_000;
      if (said.kind === "ready") ready.resolve();
      else if (said.kind === "end") ended.resolve(said.latencies);
    });
    const fail = (error: Error): void => {
      this.failure = error;
      ready.reject(error);
      ended.reject(error);
    };
    child.once("error", fail);
    child.once("exit", (code) => fail(new Error(`A worker of ${module} has ended with ${code}`)));
  }

  say(word: "go" | "latency" | "end"): void {
    this.#child.stdin!.write(`${word}\n`);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}
