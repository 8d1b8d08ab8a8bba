import { availableParallelism, cpus } from "node:os";

/** How busy the machine is, and how its time goes by. */
export interface Machine {
  readonly cores: number;
  /** The share of the cores' time since the last call in which they did nothing, from 0 to 1. */
  readIdleShare(): number;
  /** Calls back again and again, until the answer is called. */
  watch(look: () => void): () => void;
}

const lookEveryMs = 250;
/** Below that share the cores have enough to do. */
const spareShare = 0.2;
/** So many may wait for something on each core. */
const mostPerCore = 6;

/** This machine. */
function thisMachine(): Machine {
  let last = { idle: 0, total: 0 };
  return {
    cores: availableParallelism(),
    readIdleShare() {
      const now = { idle: 0, total: 0 };
      for (const { times } of cpus()) {
        now.idle += times.idle;
        for (const time of Object.values(times)) now.total += time;
      }
      const total = now.total - last.total;
      const share = total > 0 ? (now.idle - last.idle) / total : 0;
      last = now;
      return share;
    },
    watch(look) {
      const timer = setInterval(look, lookEveryMs);
      return () => clearInterval(timer);
    },
  };
}

/** How `runJobs` runs. */
export interface RunJobsOptions {
  /** How many run at least, while there are more. Default: one for each core. */
  readonly atOnce?: number | undefined;
  readonly machine?: Machine;
  readonly signal?: AbortSignal;
}

/**
 * Runs jobs side by side, in this order: one for each core, and another whenever the cores have time to spare, since
 * most of what waits for a process, a server or a browser does not compute.
 *
 * @param run Runs a job; it must not reject.
 */
export async function runJobs<Job>(
  jobs: readonly Job[],
  run: (job: Job) => Promise<void>,
  { machine = thisMachine(), atOnce = machine.cores, signal }: RunJobsOptions = {},
): Promise<void> {
  const { cores } = machine;
  let next = 0;
  let running = 0;
  await new Promise<void>((resolve) => {
    const startOne = (): void => {
      running++;
      run(jobs[next++]!).finally(() => {
        running--;
        fill();
      });
    };
    const mayStart = () => next < jobs.length && !signal?.aborted;
    const fill = (): void => {
      while (running < atOnce && mayStart()) startOne();
      if (running > 0 || mayStart()) return;
      stopWatching();
      resolve();
    };
    const stopWatching = machine.watch(() => {
      const hasTime = machine.readIdleShare() >= spareShare;
      if (hasTime && running < cores * mostPerCore && mayStart()) startOne();
    });
    fill();
  });
}
