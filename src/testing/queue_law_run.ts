import type {
  DeadLetters,
  Delivery,
  QueueSource,
  Receipt,
  SendOptions,
} from "../queue/queue_source.ts";
import { isEqual } from "./is_equal.ts";

/** A queue of text as `checkQueue` needs it: new and empty, seen by two workers. */
export interface CheckedQueue {
  /** As one worker sees it, not yet opened. */
  readonly one: QueueSource<string>;
  /** As another worker sees it, with a client of its own where there are clients; not yet opened. */
  readonly other: QueueSource<string>;
  /** Deletes the queue and makes it again, as another program may while both work; without it `remade` is skipped. */
  readonly remake?: (() => Promise<void>) | undefined;
  /** Called at the end, once both are closed: takes away what was made. */
  readonly end?: (() => Promise<void>) | undefined;
}

/** What `checkQueue` is given besides, and allowed to leave out. */
export interface CheckQueueOptions {
  /** How long a short lease is, in milliseconds, a positive integer (default: 1,000). */
  readonly leaseMs?: number | undefined;
  /** How long a message that must come is waited for, in milliseconds, a positive integer (default: 20,000). */
  readonly timeoutMs?: number | undefined;
  /** Laws that do not apply, by name, each with the reason (default: none). */
  readonly skip?: Readonly<Record<string, string>> | undefined;
}

/** A law, as it is tried on a queue that is new. */
export interface QueueLaw {
  /** What is done, in words. */
  readonly program: string;
  /** Whether its leases end while it runs; otherwise they last for longer than it takes. */
  readonly hasShortLease?: boolean;
  /** Throws what is wrong; `one` and `other` are the queue as two workers see it. */
  run(queue: QueueLawRun, one: QueueSource<string>, other: QueueSource<string>): Promise<void>;
}

/** Something is not as the law says. */
export class QueueLawProblem extends Error {}

/** The law says nothing of this queue: it has not what the law is about, for this reason. */
export class QueueLawSkip extends Error {}

/** The machine was so slow that nothing was shown; with a longer lease it may be. */
export class QueueLawUnclear extends Error {}

/** Long enough for a message that must not come to come. */
const quietMs = 200;

/** The bodies of deliveries, in order. */
export const bodiesOf = (deliveries: readonly Delivery<string>[]): string[] =>
  deliveries.map(({ body }) => body);

/** The receipts of deliveries, in order. */
export const receiptsOf = (deliveries: readonly Delivery<string>[]): Receipt[] =>
  deliveries.map(({ receipt }) => receipt);

/** Throws unless a value is what the law says. */
export function expect(what: string, actual: unknown, expected: unknown): void {
  if (isEqual(actual, expected)) return;
  throw new QueueLawProblem(`${what}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
}

/** A queue under one law, with what laws ask of it. */
export class QueueLawRun {
  readonly one: QueueSource<string>;
  readonly other: QueueSource<string>;
  readonly remake: CheckedQueue["remake"];
  readonly leaseMs: number;
  readonly #timeoutMs: number;
  readonly signal: AbortSignal = new AbortController().signal;

  constructor({ one, other, remake }: CheckedQueue, leaseMs: number, timeoutMs: number) {
    this.one = one;
    this.other = other;
    this.remake = remake;
    this.leaseMs = leaseMs;
    this.#timeoutMs = timeoutMs;
  }

  /** Receives until there are so many, with their bodies; fewer are a problem. */
  async take(from: QueueSource<string>, count: number): Promise<Delivery<string>[]> {
    const all: Delivery<string>[] = [];
    const until = performance.now() + this.#timeoutMs;
    while (all.length < count && performance.now() < until) {
      const waitMs = Math.max(1, Math.ceil(until - performance.now()));
      const options = { waitMs, signal: this.signal };
      all.push(...await this.#loaded(await from.receive(count - all.length, options)));
    }
    if (all.length < count) {
      throw new QueueLawProblem(
        `${all.length} of ${count} messages came within ${this.#timeoutMs} ms: ` +
          JSON.stringify(bodiesOf(all)),
      );
    }
    if (all.length > count) {
      throw new QueueLawProblem(
        `${all.length} messages came where at most ${count} were asked for`,
      );
    }
    return all;
  }

  /** Receives the next. */
  async takeOne(from: QueueSource<string>): Promise<Delivery<string>> {
    return (await this.take(from, 1))[0]!;
  }

  /** Receives what is there, at most so many. */
  async takeNow(from: QueueSource<string>, most = 10, maxBytes?: number) {
    const options = { waitMs: quietMs, maxBytes, signal: this.signal };
    return await this.#loaded(await from.receive(most, options));
  }

  /** Throws if a message comes. */
  async expectNone(why: string, from: QueueSource<string>): Promise<void> {
    expect(`${why}, but these came`, bodiesOf(await this.takeNow(from)), []);
  }

  /** Throws unless the queue has so many messages. */
  async expectDepth(waiting: number, leased: number, dead = 0): Promise<void> {
    expect("depth()", await this.one.depth(), { waiting, leased, dead });
  }

  /** Throws unless sending rejects with a `TypeError`, and adds nothing. */
  async expectRefusal(what: string, bodies: readonly string[], options?: SendOptions) {
    const refused = await refusalOf(this.one, bodies, options);
    if (!(refused?.reason instanceof TypeError)) {
      const got = refused === undefined ? "was sent" : `rejected with ${refused.reason}`;
      throw new QueueLawProblem(`${what} ${got}, instead of rejecting with a TypeError`);
    }
    await this.expectNone(`${what} was refused`, this.other);
  }

  /** Sends with options; a queue that says that it has them not is let go. */
  async sendWith(
    to: QueueSource<string>,
    bodies: readonly string[],
    options: SendOptions,
  ): Promise<void> {
    const refused = await refusalOf(to, bodies, options);
    if (refused === undefined) return;
    const { reason } = refused;
    const isNamed = Object.keys(options).some((name) =>
      reason instanceof TypeError && reason.message.includes(name)
    );
    if (!isNamed) throw reason;
    throw new QueueLawSkip((reason as TypeError).message);
  }

  /** The methods for dead letters; a queue that has none is let go. */
  dead(of: QueueSource<string>): DeadLetters<string> {
    const { dead } = of as { dead?: DeadLetters<string> };
    if (dead === undefined) throw new QueueLawSkip("the queue has no `dead`");
    return dead;
  }

  /** Throws if less time has passed than must have. Clocks of two machines differ a little. */
  expectSince(what: string, startedAt: number, leastMs: number): void {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs >= leastMs - 10) return;
    throw new QueueLawProblem(
      `${what} came after ${Math.round(elapsedMs)} ms, before ${leastMs} ms`,
    );
  }

  /** Where it counts orphans, it counts so many, if a lease that began then still lasts. */
  async expectOrphans(count: number, leasedAt: number): Promise<void> {
    const found = await this.one.orphans?.();
    this.expectSoon(leasedAt);
    if (found !== undefined) expect("orphans", found, count);
  }

  /** What follows shows nothing if the lease that began then may be over. */
  expectSoon(startedAt: number): void {
    if (performance.now() - startedAt > 0.75 * this.leaseMs) throw new QueueLawUnclear();
  }

  async #loaded(deliveries: Delivery<string>[]): Promise<Delivery<string>[]> {
    for (const delivery of deliveries) {
      if (await delivery.load?.() === false) {
        throw new QueueLawProblem(`load() of ${delivery.id} says that it is gone`);
      }
    }
    return deliveries;
  }
}

async function refusalOf(
  queue: QueueSource<string>,
  bodies: readonly string[],
  options?: SendOptions,
): Promise<{ readonly reason: unknown } | undefined> {
  try {
    await queue.send(bodies, options);
    return undefined;
  } catch (reason) {
    return { reason };
  }
}
