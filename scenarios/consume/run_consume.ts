import { setTimeout as wait } from "node:timers/promises";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import { openBroker } from "./broker.ts";
import { OrderStore, toMessage } from "./order_store.ts";
import type { WorkerFaults, WorkerJob, WorkerReport } from "./worker_job.ts";
import type { QueueDepth } from "../../src/queue/mod.ts";
import { judge, type Verdict } from "./verdict.ts";
import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { commandOf } from "../../runtimes/descriptors.ts";

const script = fileURLToPath(new URL("worker.ts", import.meta.url));

/** What runtimes say of timeouts that a client of Kafka asks for. */
const isWarning = /^\(node:|^\(Use |^Timeout duration /;

/** How a worker's process ended. */
export interface WorkerEnd {
  /** Whether a signal ended it, its own or another's. */
  readonly wasKilled: boolean;
  readonly code: number | null;
  /** The last line that it said was wrong. */
  readonly complaint: string;
}

/** One worker's process. It ends with this one, however that ends. */
export class WorkerProcess {
  readonly runtime: Runtime;
  readonly job: WorkerJob;
  readonly ended: Promise<WorkerEnd>;
  /** What it said last. */
  report: WorkerReport | undefined;
  readonly #child: ChildProcess;

  constructor(runtime: Runtime, job: WorkerJob, env: Readonly<Record<string, string>> = {}) {
    this.runtime = runtime;
    this.job = job;
    const [command, ...args] = commandOf(runtime, script, [JSON.stringify(job)]);
    // A group of its own: Ctrl-C comes by us, as a request to end.
    const child = spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...env },
      detached: process.platform !== "win32",
    });
    this.#child = child;
    // It may be gone when its end of the pipe is closed.
    child.stdin!.on("error", () => {});
    let [rest, complaint] = ["", ""];
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.report = JSON.parse(line);
    });
    child.stderr!.setEncoding("utf8").on("data", (text: string) => complaint += text);
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: string | null) =>
        resolve({
          // Deno says by a code above 128 what others say by a name.
          wasKilled: signal !== null || (code !== null && code > 128),
          code,
          complaint: complaint.trim().split("\n").find((line) => !isWarning.test(line)) ?? "",
        });
      child.once("close", end);
      child.once("error", (error) => {
        complaint = error.message;
        end(null, null);
      });
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Sends it a signal, unless it has ended. */
  signal(name: "SIGTERM" | "SIGKILL" | "SIGSTOP" | "SIGCONT"): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      // Not child.kill: under Deno that reports the signal even if the child handled it.
      process.kill(this.pid, name);
    } catch {
      // It ends just now.
    }
  }
}

/** A place at which a worker works: one that was killed is followed by another. */
class WorkerPlace {
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

/** What a run of `deno task consume` is made of. */
export interface ConsumePlan {
  readonly broker: string;
  /** The address that workers use. Default: the same. */
  readonly workerBroker?: string | undefined;
  /** Variables of the workers' environment besides those of this process. */
  readonly workerEnv?: Readonly<Record<string, string>> | undefined;
  readonly store: string;
  /** One for each worker. */
  readonly runtimes: readonly Runtime[];
  /** How many messages are sent first. */
  readonly messages: number;
  readonly job: Omit<WorkerJob, "broker" | "store" | "faults">;
  /** A worker is killed every so many milliseconds; default: none is. */
  readonly killEveryMs?: number;
  /** No more kills than that; default: as many as there is time for. */
  readonly maxKills?: number;
  /** A kill waits until so many workers work, so that a slow machine gets on too. Default: 1. */
  readonly leastWorking?: number;
  /** What goes wrong in a worker's process, given how many were started before it. */
  readonly faults?: (started: number) => WorkerFaults | undefined;
  /** Does harm besides, until `signal` aborts; what it has broken is whole again when it fulfils. */
  readonly disturb?: (places: readonly WorkerPlace[], signal: AbortSignal) => Promise<void>;
  /** How many messages were added besides that can only become dead letters. */
  readonly countHostile?: () => number;
  readonly signal: AbortSignal;
  readonly onProgress?: (places: readonly WorkerPlace[], depth: QueueDepth) => void;
}

const lookEveryMs = 100;
const sendBatch = 1_000;

async function send(
  plan: ConsumePlan,
  queue: { send(bodies: readonly string[]): Promise<void> },
  first: number,
): Promise<void> {
  for (let from = 0; from < plan.messages && !plan.signal.aborted; from += sendBatch) {
    const count = Math.min(sendBatch, plan.messages - from);
    await queue.send(Array.from({ length: count }, (_, index) => toMessage(first + from + index)));
  }
}

/** Sends messages, starts workers, and waits until the queue is empty or `signal` aborts. */
export async function runConsume(plan: ConsumePlan): Promise<Verdict> {
  const { broker: address, signal, killEveryMs, maxKills = Infinity, leastWorking = 1 } = plan;
  const { leaseMs } = plan.job;
  const store = openStore(plan.store);
  const broker = await openBroker(address, { leaseMs, create: true }).catch((error) => {
    store.close();
    throw error;
  });
  const { queue } = broker;
  const places: WorkerPlace[] = [];
  let isStopping = false;
  const undisturbed = new AbortController();
  let disturbance: { readonly reason: unknown } | undefined;
  const disturb = async (): Promise<void> => {
    try {
      await plan.disturb?.(places, undisturbed.signal);
    } catch (reason) {
      disturbance = { reason };
    }
  };
  try {
    const before = { depth: await queue.depth(), summary: store.summary() };
    // Numbers that no earlier run into the same store has had.
    const first = before.summary.lastOrder + 1 + before.depth.waiting + before.depth.leased;
    await send(plan, queue, first);
    const startedAt = performance.now();
    let started = 0;
    const startWorker = (runtime: Runtime) => ({
      runtime,
      env: plan.workerEnv,
      job: {
        ...plan.job,
        broker: plan.workerBroker ?? address,
        store: plan.store,
        faults: plan.faults?.(started++),
      },
    });
    for (const runtime of plan.runtimes) {
      places.push(new WorkerPlace(() => startWorker(runtime), () => isStopping));
    }

    const disturbing = disturb();
    let kills = 0;
    let killedAt = performance.now();
    let depth = await queue.depth();
    // A broker may report messages a little later: only what it reports twice counts.
    let emptyLooks = 0;
    let elapsedMs = 0;
    while (!signal.aborted && emptyLooks < 2) {
      await wait(lookEveryMs / 2);
      if (disturbance !== undefined) throw disturbance.reason;
      const broken = places.find(({ failure }) => failure !== undefined);
      if (broken !== undefined) throw broken.failure;
      if (
        killEveryMs !== undefined && kills < maxKills && performance.now() - killedAt >= killEveryMs
      ) {
        killedAt = performance.now();
        // Those that are about to die by themselves are left to it.
        const candidates = places.filter(({ isWorking, process }) =>
          isWorking && process.job.faults?.killAfterWrite === undefined
        );
        const victim = candidates[Math.floor(Math.random() * candidates.length)];
        if (victim !== undefined && candidates.length >= leastWorking) {
          kills++;
          victim.process.signal("SIGKILL");
        }
      }
      // A broker that is away is what workers wait for, too.
      depth = await queue.depth().catch(() => ({ ...depth, leased: depth.leased || 1 }));
      plan.onProgress?.(places, depth);
      emptyLooks = depth.waiting + depth.leased === 0 ? emptyLooks + 1 : 0;
      if (emptyLooks < 2 || undisturbed.signal.aborted) continue;
      elapsedMs = performance.now() - startedAt;
      undisturbed.abort();
      await disturbing;
      // A server that was killed meanwhile may not know what was acknowledged last, so that it comes again.
      if (plan.disturb !== undefined) emptyLooks = 0;
    }
    if (elapsedMs === 0) elapsedMs = performance.now() - startedAt;
    undisturbed.abort();
    await disturbing;
    if (disturbance !== undefined) throw disturbance.reason;
    isStopping = true;
    for (const place of places) place.process.signal("SIGTERM");
    const ends = await Promise.all(places.map((place) => place.ended));
    depth = await queue.depth().catch(() => depth);
    plan.onProgress?.(places, depth);
    return judge({
      sent: plan.messages + before.depth.waiting + before.depth.leased,
      before: { ...before.summary, dead: before.depth.dead },
      after: { ...store.summary(), ...depth },
      crashes: store.crashes(),
      kills: places.reduce((sum, place) => sum + place.kills, 0),
      // One that was only just started knows no better than to die of the request.
      badEnds: ends.filter(({ code, wasKilled }) => code !== 0 && !wasKilled)
        .map(({ complaint }) => complaint),
      hostile: plan.countHostile?.() ?? 0,
      wasInterrupted: signal.aborted,
      elapsedMs,
    });
  } finally {
    isStopping = true;
    undisturbed.abort();
    for (const place of places) place.process.signal("SIGKILL");
    await broker.close();
    store.close();
  }
}

function openStore(path: string): OrderStore {
  try {
    return new OrderStore(path);
  } catch (cause) {
    const reason = String((cause as Error)?.message ?? cause).split("\n")[0];
    throw new Error(`Cannot open --store ${path}: ${reason}`, { cause });
  }
}
