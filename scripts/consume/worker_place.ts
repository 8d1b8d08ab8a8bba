import type { Runtime } from "../../runtimes/find_runtime.ts";
import type { WorkerJob } from "../../scenarios/consume/worker_job.ts";
import { type WorkerEnd, WorkerProcess } from "./worker_process.ts";

/** A place at which a worker works: one that was killed is followed by another. */
export class WorkerPlace {
  process: WorkerProcess;
  /** How many were killed here. */
  kills = 0;
  /** Why no worker can run here: one has failed by itself. */
  failure: Error | undefined;
  /** How the last one ended. */
  readonly ended: Promise<WorkerEnd>;
  /** What those before it have done. */
  #stored = 0;
  #repeats = 0;

  constructor(
    next: () => {
      readonly runtime: Runtime;
      readonly job: WorkerJob;
      readonly env?: Readonly<Record<string, string>> | undefined;
    },
    isStopping: () => boolean,
  ) {
    const start = () => {
      const { runtime, job, env } = next();
      return new WorkerProcess(runtime, job, env);
    };
    this.process = start();
    this.ended = this.#watch(start, isStopping);
  }

  get runtime(): Runtime {
    return this.process.runtime;
  }

  /** Whether its worker has begun, and not ended. */
  get isWorking(): boolean {
    return this.process.report !== undefined && !this.process.report.isLast;
  }

  /** Lines stored here, as far as its workers have lived to tell. */
  get stored(): number {
    return this.#stored + (this.process.report?.stored ?? 0);
  }

  get repeats(): number {
    return this.#repeats + (this.process.report?.repeats ?? 0);
  }

  async #watch(start: () => WorkerProcess, isStopping: () => boolean): Promise<WorkerEnd> {
    while (true) {
      const end = await this.process.ended;
      if (end.wasKilled) this.kills += isStopping() ? 0 : 1;
      else if (end.code !== 0) {
        const { name } = this.process.runtime;
        this.failure = new Error(`A worker in ${name} has ended: ${end.complaint}`);
      }
      if (isStopping() || this.failure !== undefined) return end;
      this.#stored = this.stored;
      this.#repeats = this.repeats;
      this.process = start();
    }
  }
}
