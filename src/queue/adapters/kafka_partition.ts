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

/** What is noted of messages behind a committed offset. */
interface Notes {
  readonly settled: ReadonlySet<number>;
  readonly counts: ReadonlyMap<number, Counts>;
  /** How many were held. */
  readonly held: number;
  /** The offset behind the last that something is noted of. */
  readonly end: number;
}

/** What the text beside a committed offset says of the messages behind it; of another program's text nothing. */
export function readKafkaNotes(text: string | null | undefined, from: number): Notes {
  const settled = new Set<number>();
  const counts = new Map<number, Counts>();
  const [first, ...runs] = (text ?? "").split(" ");
  let [offset, held] = [from, 0];
  for (const run of first === mark ? runs : []) {
    const kind = run[0];
    const [times = 0, deliveries = 1, failures = 0, isolations = 0, delayMs = 0] = run.slice(1)
      .split(",").map(Number);
    for (let left = times; left > 0; left--, offset++) {
      if (kind === "s") settled.add(offset);
      else if (kind !== "u") counts.set(offset, { deliveries, failures, isolations, delayMs });
    }
    if (kind === "h") held += times;
  }
  return { settled, counts, held, end: offset };
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
  /** What earlier owners have noted. */
  #notes: Notes = readKafkaNotes("", 0);

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
      if (this.#notes.settled.has(offset)) continue;
      const known = this.#notes.counts.get(offset);
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
   * What becomes of the messages from the base on, for the next owner of the partition: how many are settled (`s`), are
   * untouched (`u`), wait (`w`) or are held (`h`), the last two with their counts unless these are 1, 0, 0, 0. What is
   * given up counts as never handed over.
   */
  note(isGivenUp: boolean, mostLength: number): string {
    const runs: { readonly kind: string; readonly counts: string; times: number }[] = [];
    const add = (kind: string, times = 1, counts: readonly number[] = []) => {
      const last = runs.at(-1);
      const text = `${counts}` === "1,0,0,0" ? "" : counts.map((count) => `,${count}`).join("");
      if (last?.kind === kind && last.counts === text) last.times += times;
      else if (times > 0) runs.push({ kind, counts: text, times });
    };
    const addWaiting = (counts: readonly number[]) =>
      counts.every((count) => count === 0) ? add("u") : add("w", 1, counts);
    let next = this.base;
    for (
      const { offset, message, holder, deliveries, failures, isolations, delayMs } of this.#entries
    ) {
      // What is not in the log any more is settled.
      add("s", offset - next);
      next = offset + 1;
      if (message === undefined) add("s");
      else if (holder === undefined) addWaiting([deliveries, failures, isolations, delayMs]);
      else if (isGivenUp) addWaiting([holder.deliveries - 1, failures, holder.isolations, 0]);
      else add("h", 1, [deliveries, failures, isolations, delayMs]);
    }
    // What is noted of those that were not fetched yet stays so.
    for (const { settled, counts, end } = this.#notes; next < end; next++) {
      if (settled.has(next)) add("s");
      else {
        const { deliveries = 0, failures = 0, isolations = 0, delayMs = 0 } = counts.get(next) ??
          {};
        addWaiting([deliveries, failures, isolations, delayMs]);
      }
    }
    let text = mark;
    // What finds no room is worked on again by the next owner.
    for (const { kind, counts, times } of runs) {
      const run = ` ${kind}${times}${counts}`;
      if (text.length + run.length > mostLength) break;
      text += run;
    }
    return text;
  }
}
