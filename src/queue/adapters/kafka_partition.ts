import { decodeUtf8, type Flaw } from "./read_counts.ts";
import type { KafkaMessage } from "./kafka_client.ts";
import type { Delivery, Receipt } from "../queue_source.ts";

/** So much of a partition is kept here before no more of it is fetched. */
const mostBytes = 4 * 2 ** 20;
const mark = "hosepipe1";
const latin = new TextDecoder("latin1");

/** What is known of a message that has not settled. */
interface Counts {
  deliveries: number;
  failures: number;
  isolations: number;
  /** How long it waits if its worker dies, besides the lease. */
  delayMs: number;
}

/** A message of a partition, from its arrival until the group stands behind it. */
interface Entry extends Counts {
  readonly offset: number;
  readonly key: string | undefined;
  /** Nothing once it is settled. */
  message: KafkaMessage | undefined;
  readonly bytes: number;
  holder: KafkaDelivery | undefined;
  /** When it may be handed over, by `performance.now()`: its lease is over then, or its delay. */
  dueAt: number;
}

/** A message as it was handed over once. */
export class KafkaDelivery implements Delivery<string | Uint8Array>, Receipt {
  readonly id: string;
  readonly body: string | Uint8Array;
  readonly flaw: Flaw | undefined;
  readonly deliveries: number;
  readonly failures: number;
  readonly isolations: number;
  readonly partition: KafkaPartition;
  readonly entry: Entry;
  readonly message: KafkaMessage;
  isIsolated = false;
  isBuried = false;

  constructor(partition: KafkaPartition, entry: Entry, format: "text" | "bytes") {
    const { value } = this.message = entry.message!;
    this.partition = partition;
    this.entry = entry;
    this.id = `${partition.name}/${entry.offset}`;
    this.deliveries = entry.deliveries;
    this.failures = entry.failures;
    this.isolations = entry.isolations;
    this.body = "";
    try {
      if (value === null) throw new TypeError("It has no value");
      this.body = format === "text" ? decodeUtf8(value) : new Uint8Array(value);
    } catch (reason) {
      this.flaw = { reason };
    }
  }

  get receipt(): Receipt {
    return this;
  }

  /** Whether no one has been handed the message since. */
  get isHeld(): boolean {
    return this.entry.holder === this;
  }
}

/** How messages are handed over. */
export interface KafkaTake {
  readonly max: number;
  /** Whether one of so many bytes more may go with those before it. */
  readonly fits: (bytes: number) => boolean;
  readonly leaseMs: number;
  readonly format: "text" | "bytes";
}

/** What the text beside a committed offset says of the messages behind it; of another program's text nothing. */
export function readKafkaNotes(
  text: string | null | undefined,
  from: number,
): { readonly settled: Set<number>; readonly counts: Map<number, Counts>; readonly held: number } {
  const settled = new Set<number>();
  const counts = new Map<number, Counts>();
  const [first, ...runs] = (text ?? "").split(" ");
  let [offset, held] = [from, 0];
  for (const run of first === mark ? runs : []) {
    const [kind, ...numbers] = [run[0], ...run.slice(1).split(",").map(Number)];
    if (kind === "s" || kind === "u") {
      for (let left = numbers[0] ?? 0; left > 0; left--, offset++) {
        if (kind === "s") settled.add(offset);
      }
      continue;
    }
    const [deliveries = 0, failures = 0, isolations = 0, delayMs = 0, times = 1] = numbers;
    for (let left = times; left > 0; left--, offset++) {
      counts.set(offset, { deliveries, failures, isolations, delayMs });
    }
    if (kind === "h") held += times;
  }
  return { settled, counts, held };
}

/** A partition that this member has: what was fetched of it and has not settled, up to its window. */
export class KafkaPartition {
  readonly name: string;
  readonly number: number;
  readonly window: number;
  /** Fulfils once it is known what earlier owners have noted. */
  ready: Promise<void> = Promise.resolve();
  /** The offset behind the last that was fetched; not known before it is ready. */
  position: number | undefined;
  isPaused = false;
  /** When the next that waits is due. */
  dueAt = Infinity;
  #entries: Entry[] = [];
  #bytes = 0;
  #notes: ReturnType<typeof readKafkaNotes> | undefined;

  constructor(topic: string, number: number, window: number) {
    this.name = `${topic}/${number}`;
    this.number = number;
    this.window = window;
  }

  /** The first offset that has not settled. */
  get base(): number {
    this.#dropSettled();
    return this.#entries[0]?.offset ?? this.position ?? 0;
  }

  /** How full it is: at 1 no more is fetched, at half of it again. */
  get load(): number {
    this.#dropSettled();
    return Math.max(this.#entries.length / (2 * this.window), this.#bytes / mostBytes);
  }

  /** Begins where the group stands, with what was noted there. */
  begin(offset: number, metadata: string | null | undefined): void {
    this.#notes = readKafkaNotes(metadata, offset);
    this.position = Math.max(0, offset);
  }

  add(messages: readonly KafkaMessage[]): void {
    const now = performance.now();
    for (const message of messages) {
      const offset = Number(message.offset);
      if (offset < this.position!) continue;
      this.position = offset + 1;
      if (this.#notes!.settled.delete(offset)) continue;
      const known = this.#notes!.counts.get(offset);
      const bytes = message.value?.byteLength ?? 0;
      this.#entries.push({
        ...known ?? { deliveries: 0, failures: 0, isolations: 0, delayMs: 0 },
        ...{ offset, message, bytes, holder: undefined, dueAt: now + (known?.delayMs ?? 0) },
        key: message.key === null ? undefined : latin.decode(message.key),
      });
      this.#bytes += bytes;
    }
  }

  /** Hands over what is due: of each key only the first, and nothing beyond the window. */
  take({ max, fits, leaseMs, format }: KafkaTake): KafkaDelivery[] {
    const found: KafkaDelivery[] = [];
    const keys = new Set<string>();
    const now = performance.now();
    const end = this.base + this.window;
    this.dueAt = Infinity;
    for (const entry of this.#entries) {
      if (found.length >= max || entry.offset >= end) break;
      if (entry.message === undefined) continue;
      if (entry.key !== undefined) {
        if (keys.has(entry.key)) continue;
        keys.add(entry.key);
      }
      if (entry.dueAt > now) {
        this.dueAt = Math.min(this.dueAt, entry.dueAt);
        continue;
      }
      if (!fits(entry.bytes)) break;
      entry.deliveries++;
      entry.delayMs = 0;
      entry.holder = new KafkaDelivery(this, entry, format);
      entry.dueAt = now + leaseMs;
      found.push(entry.holder);
    }
    return found;
  }

  settle({ entry }: KafkaDelivery): void {
    if (entry.message === undefined) return;
    entry.message = undefined;
    entry.holder = undefined;
    this.#bytes -= entry.bytes;
  }

  #dropSettled(): void {
    const first = this.#entries.findIndex(({ message }) => message !== undefined);
    this.#entries.splice(0, first < 0 ? this.#entries.length : first);
  }

  /**
   * What becomes of the messages from the base on, for who owns the partition next: how many are settled (`s`), are
   * untouched (`u`), wait (`w`) or are held (`h`), with their counts. What is given up counts as never handed over.
   */
  note(isGivenUp: boolean, mostLength: number): string {
    const runs: [kind: string, count: number][] = [];
    const add = (kind: string, count = 1) => {
      const last = runs.at(-1);
      if (last?.[0] === kind) last[1] += count;
      else if (count > 0) runs.push([kind, count]);
    };
    let next = this.base;
    for (
      const { offset, message, holder, deliveries, failures, isolations, delayMs } of this.#entries
    ) {
      // What is not in the log any more is settled.
      add("s", offset - next);
      next = offset + 1;
      if (message === undefined) add("s");
      else if (holder !== undefined && !isGivenUp) {
        add(`h${deliveries},${failures},${isolations},${delayMs},`);
      } else {
        const counts = [
          holder === undefined ? deliveries : holder.deliveries - 1,
          failures,
          holder === undefined ? isolations : holder.isolations,
        ];
        add(counts.every((count) => count === 0) ? "u" : `w${counts},0,`);
      }
    }
    let text = mark;
    // What finds no room is worked on again by the next owner.
    for (const [kind, count] of runs) {
      const run = ` ${kind}${count}`;
      if (text.length + run.length > mostLength) break;
      text += run;
    }
    return text;
  }
}
