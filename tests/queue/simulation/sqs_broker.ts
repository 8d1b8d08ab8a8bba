import type { QueueSource } from "@hosepipe/streams/queue";
import { type SqsClient, type SqsMessage, sqsQueue } from "@hosepipe/streams/queue/sqs";
import {
  type History,
  type Kind,
  type Random,
  SimulatedBroker,
  type Weather,
  Wire,
} from "./broker.ts";
import { sleep } from "./virtual_clock.ts";

/** The letters that a run's messages are sent to. */
const deadUrl = "dead";

interface Entry {
  readonly id: string;
  readonly kind: Kind;
  readonly group: string;
  /** How often it was handed over. */
  count: number;
  lease: number;
  /** Before that it is another's, or waits. */
  visibleAtMs: number;
  isDeleted: boolean;
}

type Failed = NonNullable<Awaited<ReturnType<SqsClient["deleteMessageBatch"]>>["Failed"]>[number];

/** What SQS documents of itself: deliveries are counted, entries fail by themselves, handles grow old, groups have an order. */
export class SqsBroker extends SimulatedBroker<Entry> {
  readonly #letters = new Set<string>();
  readonly #isFifo: boolean;
  /** So many messages a call gives at least, asked for or not. */
  leastInCall = 1;
  /** Whether an answer names what has failed. */
  namesFailures = true;

  constructor(history: History, now: () => number, random: Random, isFifo: boolean) {
    super(history, now, random);
    this.#isFifo = isFifo;
  }

  send(id: string, kind: Kind, key: string | undefined): void {
    const group = this.#isFifo ? key ?? id : "";
    const entry = { count: 0, lease: 0, visibleAtMs: -Infinity, isDeleted: false };
    this.entries.set(id, { id, kind, group, ...entry });
    this.history.note(0, "sent", id, this.#isFifo && key ? `${kind}, key ${key}` : kind);
  }

  /** SQS forgets nothing. */
  restart(): void {
    this.isDown = false;
  }

  /** A worker's queue over a client of its own, whose calls are late, lost, doubled and throttled as the weather is. */
  connect(worker: number, weather: Weather): { connection: Wire; queue: QueueSource<string> } {
    const random = this.random;
    const connection = new Wire(this, weather, random);
    const call = <R>(act: () => R | Promise<R>, isOnce?: boolean): Promise<R> => {
      if (!random.happens(weather.lossProbability / 2)) return connection.call(act, isOnce);
      return Promise.reject(Object.assign(new Error("Slow down"), { name: "RequestThrottled" }));
    };
    /** Some entries fail, at the service or by throttling, and some are missing in the answer. */
    const each = <One extends { readonly Id: string }>(
      entries: readonly One[],
      act: (entry: One) => boolean,
    ) => {
      const [Successful, Failed]: [{ Id: string }[], Failed[]] = [[], []];
      for (const entry of entries) {
        const { Id } = entry;
        const isFailing = random.happens(weather.lossProbability);
        if (isFailing && !this.namesFailures) Successful.push({ Id });
        else if (isFailing) {
          const Code = random.pick(["InternalError", "ThrottlingException"]);
          if (random.happens(0.7)) Failed.push({ Id, Code, SenderFault: Code !== "InternalError" });
        } else if (act(entry)) Successful.push({ Id });
        else Failed.push({ Id, Code: "ReceiptHandleIsInvalid", SenderFault: true });
      }
      return { Successful, Failed };
    };
    const client: SqsClient = {
      getQueueUrl: ({ QueueName }) =>
        Promise.resolve({ QueueUrl: /-dead/.test(QueueName) ? deadUrl : "own" }),
      getQueueAttributes: () => call(() => ({ Attributes: { MaximumMessageSize: "1024" } })),
      receiveMessage: ({ MaxNumberOfMessages, VisibilityTimeout, WaitTimeSeconds }, options) =>
        call(async () => {
          const untilMs = this.now() + 1_000 * WaitTimeSeconds;
          while (true) {
            const Messages = this.#lease(worker, MaxNumberOfMessages, VisibilityTimeout);
            if (Messages.length > 0 || this.now() >= untilMs) return { Messages };
            await sleep(50);
            if (options?.abortSignal?.aborted) throw new Error("AbortError");
          }
        }, true),
      sendMessageBatch: ({ QueueUrl, Entries }) =>
        call(() =>
          each(Entries, ({ MessageAttributes }) => {
            if (QueueUrl !== deadUrl) return false;
            this.#letters.add(MessageAttributes!["hosepipe-id"]!.StringValue!);
            return true;
          })
        ),
      deleteMessageBatch: ({ Entries }) =>
        call(() =>
          each(Entries, ({ ReceiptHandle }) => {
            const entry = this.#entryOf(ReceiptHandle);
            if (entry === undefined) return false;
            if (!entry.isDeleted) this.#delete(entry, worker);
            return true;
          })
        ),
      changeMessageVisibilityBatch: ({ Entries }) =>
        call(() =>
          each(Entries, ({ ReceiptHandle, VisibilityTimeout }) => {
            const entry = this.#entryOf(ReceiptHandle);
            if (entry === undefined || entry.visibleAtMs <= this.nowMs) return false;
            entry.visibleAtMs = this.nowMs + VisibilityTimeout * 1_000;
            return true;
          })
        ),
    };
    const own = sqsQueue<string>(client, { queue: this.#isFifo ? "q.fifo" : "q" });
    const settling = new Set<string | symbol>(["ack", "nack", "fail", "deadLetter"]);
    const queue = new Proxy(own, {
      get: (target, name) => (...args: unknown[]) => {
        if (settling.has(name)) {
          for (const one of [args[0]].flat() as { handle?: string; receipt?: object }[]) {
            const { handle } = (one.receipt ?? one) as { handle: string };
            const [id, lease] = handle.split(" ");
            if (!connection.isCut) {
              this.history.note(worker, "settling", id, `${String(name)}`, Number(lease));
            }
          }
        }
        return (Reflect.get(target, name) as (...args: unknown[]) => unknown).apply(target, args);
      },
    });
    return { connection, queue };
  }

  #entryOf(handle: string): Entry | undefined {
    const [id, lease] = handle.split(" ");
    const entry = this.entries.get(id!);
    const isLatest = entry?.lease === Number(lease);
    if (entry === undefined || !(isLatest || (!this.#isFifo && !this.refusesOldLeases))) return;
    // A FIFO queue does not take what has grown old, either.
    return this.#isFifo && entry.visibleAtMs <= this.nowMs ? undefined : entry;
  }

  #delete(entry: Entry, worker: number): void {
    this.history.note(worker, this.#letters.has(entry.id) ? "dead" : "acknowledged", entry.id);
    // A standard queue may have a copy of it that comes once more.
    if (!this.#isFifo && this.random.happens(0.02)) entry.visibleAtMs = this.nowMs + 100;
    else this.entries.delete(entry.id);
  }

  /** As many of one group as fit, unless one of it is another's. */
  #lease(worker: number, most: number, seconds: number): SqsMessage[] {
    const blocked = new Set<string>();
    const isHeld = ({ visibleAtMs }: Entry) => visibleAtMs > this.nowMs;
    for (const entry of this.entries.values()) if (isHeld(entry)) blocked.add(entry.group);
    const found: SqsMessage[] = [];
    for (const entry of this.entries.values()) {
      if (found.length >= Math.max(most, this.leastInCall)) break;
      if (isHeld(entry) || (this.#isFifo && this.keepsOrder && blocked.has(entry.group))) continue;
      // It asks some of its servers.
      if (!this.#isFifo && this.random.happens(0.2)) continue;
      const lease = ++this.lastLease;
      Object.assign(entry, { lease, visibleAtMs: this.nowMs + seconds * 1_000 });
      entry.count++;
      this.history.note(worker, "leased", entry.id, "", lease);
      found.push({
        MessageId: entry.id,
        ReceiptHandle: `${entry.id} ${lease}`,
        Body: `${entry.kind} ${entry.id} ${lease}`,
        Attributes: { ApproximateReceiveCount: `${entry.count}` },
      });
    }
    return found;
  }
}
