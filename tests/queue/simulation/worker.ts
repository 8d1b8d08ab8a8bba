import { map, pipeline, type Transformer } from "@hosepipe/streams";
import {
  Consumer,
  messages,
  type Output,
  perMessage,
  type QueueSource,
  stored,
} from "@hosepipe/streams/queue";
import type { History } from "./history.ts";
import type { Random } from "./random.ts";
import { Refusal } from "./store.ts";
import { sleep } from "./virtual_clock.ts";

/** How the workers of a run work. */
export interface WorkerSettings {
  readonly maxInFlight: number;
  readonly leaseMs: number;
  readonly drainMs: number;
  readonly retryDelayMs: number;
  readonly maxSuspicions: number;
  readonly concurrency: number;
  readonly saves: number;
  readonly batchSize: number;
  readonly maxWaitMs: number;
  /** How long the work on a message takes at most; 0 is none, by an operator of one to one. */
  readonly longestWorkMs: number;
}

/** What the simulation knows of a worker. */
export interface Worker {
  readonly number: number;
  readonly consumer: Consumer<string>;
  readonly ended: Promise<void>;
}

/** What work on a message does: it may fail, and gives as many outputs as its kind says. */
function stageOf(
  { longestWorkMs }: WorkerSettings,
  random: Random,
  begin: (id: string, lease: string) => void,
  failures: Map<string, number>,
): Transformer<string, string> {
  const start = (body: string) => {
    const [kind, id, lease] = body.split(" ") as [string, string, string];
    begin(id, lease);
    return { kind, id };
  };
  const work = ({ kind, id }: { kind: string; id: string }) => {
    const times = failures.get(id) ?? 0;
    if (kind !== "poison" && (kind !== "moody" || times === 2)) return;
    failures.set(id, times + 1);
    throw new Error("The work has failed");
  };
  if (longestWorkMs === 0) {
    return map((body: string) => {
      work(start(body));
      return body;
    });
  }
  return {
    async transform(body, controller) {
      const message = start(body);
      await sleep(random.between(0, longestWorkMs));
      work(message);
      if (message.kind === "none") return;
      controller.enqueue(body);
      if (message.kind !== "double") return;
      await sleep(random.between(0, longestWorkMs));
      controller.enqueue(body);
    },
  };
}

const isOutage = (reason: unknown) => reason instanceof Refusal ? false : undefined;

/** Starts a worker: the library's own, with a queue and a store that are not real. */
export function startWorker(
  number: number,
  queue: QueueSource<string>,
  save: (outputs: readonly Output<string>[]) => Promise<void>,
  settings: WorkerSettings,
  { history, random, failures, isAlive }: {
    history: History;
    random: Random;
    failures: Map<string, number>;
    isAlive: () => boolean;
  },
): Worker {
  const { maxInFlight, leaseMs, drainMs, retryDelayMs, maxSuspicions } = settings;
  const { concurrency, saves, batchSize, maxWaitMs } = settings;
  const consumer = new Consumer(queue, {
    ...{ maxInFlight, leaseMs, drainMs, retryDelayMs, maxSuspicions },
  });
  const begin = (id: string, lease: string) => {
    if (isAlive()) history.note(number, "begun", id, "", Number(lease));
  };
  const ended = pipeline(
    messages(consumer),
    perMessage(stageOf(settings, random, begin, failures), { concurrency }),
    stored(consumer, save, { concurrency: saves, batchSize, maxWaitMs, isOutage }),
  ).then(() => {}, () => {}).finally(() => {
    if (isAlive()) history.note(number, "ended");
  });
  return { number, consumer, ended };
}
