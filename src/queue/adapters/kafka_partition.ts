import { decodeUtf8, KeptDelivery } from "./read_counts.ts";
import type { KafkaMessage } from "./kafka_client.ts";

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

const untouched: Counts = { deliveries: 0, failures: 0, isolations: 0, delayMs: 0 };
const handedOverOnce: Counts = { ...untouched, deliveries: 1 };

function isSame(one: Counts, other: Counts): boolean {
  return one.deliveries === other.deliveries && one.failures === other.failures &&
    one.isolations === other.isolations && one.delayMs === other.delayMs;
}

/** A message of a partition, from its arrival until the group stands behind it. */
class Entry implements Counts {
  readonly offset: number;
  readonly key: string | undefined;
  /** Nothing once it is settled. */
  message: KafkaMessage | undefined;
  readonly bytes: number;
  holder: KafkaDelivery | undefined = undefined;
  /** When it may be handed over, by `performance.now()`: its lease is over then, or its delay. */
  dueAt: number;
  /** Counted as handed over, ahead of that. */
  isAhead = false;
  deliveries: number;
  failures: number;
  isolations: number;
  delayMs: number;

  constructor(offset: number, message: KafkaMessage, known: Counts, now: number) {
    const { key, value } = message;
    this.offset = offset;
    this.key = key === null ? undefined : latin.decode(key);
    this.message = message;
    this.bytes = value === null ? 0 : value.byteLength;
    this.deliveries = known.deliveries;
    this.failures = known.failures;
    this.isolations = known.isolations;
    this.delayMs = known.delayMs;
    this.dueAt = now + known.delayMs;
  }
}

/** A message as it was handed over once. */
export class KafkaDelivery extends KeptDelivery<string | Uint8Array> {
  readonly id: string;
  readonly partition: KafkaPartition;
  readonly entry: Entry;
  readonly message: KafkaMessage;
  /** Whether the group has it that this was handed over. */
  readonly isNoted: boolean;
  isIsolated = false;
  isBuried = false;

  constructor(
    partition: KafkaPartition,
    entry: Entry,
    format: "text" | "bytes",
    isNoted: boolean,
  ) {
    super(partition.name, entry);
    this.isNoted = isNoted;
    const { value } = this.message = entry.message!;
    this.partition = partition;
    this.entry = entry;
    this.id = `${partition.name}/${entry.offset}`;
    this.readBody(() => {
      if (value === null) throw new TypeError("It has no value");
      return format === "text" ? decodeUtf8(value) : new Uint8Array(value);
    });
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
  /** Whether what has never been handed over is left, but for what was counted ahead. */
  readonly isAhead: boolean;
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
  /** How many of its messages are in work. */
  held = 0;
  /** How many others are counted as handed over. */
  ahead = 0;
  #entries: Entry[] = [];
  #bytes = 0;
  /** Behind this offset nothing that was fetched has been handed over, nor has anything been noted of it. */
  #touchedEnd = 0;
  /** What was counted ahead since the last commit, which the group does not have yet. */
  #unnoted = new Set<Entry>();
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
      const entry = new Entry(offset, message, this.#notes.counts.get(offset) ?? untouched, now);
      this.#entries.push(entry);
      this.#bytes += entry.bytes;
    }
  }

  /** What is due: of each key only the first, and nothing beyond the window. */
  *#due(now: number): Generator<Entry> {
    const keys = new Set<string>();
    const end = this.base + this.window;
    this.dueAt = Infinity;
    for (const entry of this.#entries) {
      if (entry.offset >= end) return;
      if (entry.message === undefined) continue;
      if (entry.key !== undefined) {
        if (keys.has(entry.key)) continue;
        keys.add(entry.key);
      }
      if (entry.dueAt > now) this.dueAt = Math.min(this.dueAt, entry.dueAt);
      else yield entry;
    }
  }

  take({ max, fits, leaseMs, format, isAhead }: KafkaTake): KafkaDelivery[] {
    const found: KafkaDelivery[] = [];
    const now = performance.now();
    for (const entry of this.#due(now)) {
      if (found.length >= max) break;
      const isNew = entry.isAhead ? this.#unnoted.has(entry) : entry.deliveries === 0;
      if (isAhead && isNew) continue;
      if (!fits(entry.bytes)) break;
      const isNoted = entry.isAhead && !isNew;
      this.#unnoted.delete(entry);
      if (entry.isAhead) this.ahead--;
      else entry.deliveries++;
      entry.isAhead = false;
      entry.delayMs = 0;
      if (entry.holder === undefined) this.held++;
      entry.holder = new KafkaDelivery(this, entry, format, isNoted);
      entry.dueAt = now + leaseMs;
      this.#touchedEnd = Math.max(this.#touchedEnd, entry.offset + 1);
      found.push(entry.holder);
    }
    return found;
  }

  /** Counts up to so many as handed over that never were, so that one commit has it of many before they are. */
  countAhead(most: number): void {
    let left = most;
    for (const entry of this.#due(performance.now())) {
      if (left <= 0) break;
      if (entry.deliveries > 0) continue;
      left--;
      this.ahead++;
      entry.deliveries++;
      entry.isAhead = true;
      this.#unnoted.add(entry);
      this.#touchedEnd = Math.max(this.#touchedEnd, entry.offset + 1);
    }
  }

  /** The group has what was counted ahead by its last commit. */
  noteAhead(): void {
    this.#unnoted.clear();
  }

  /** What was counted ahead, and not handed over, is as it was. */
  dropAhead(): void {
    if (this.ahead === 0) return;
    for (const entry of this.#entries) {
      if (!entry.isAhead) continue;
      entry.isAhead = false;
      entry.deliveries--;
    }
    this.ahead = 0;
    this.#unnoted.clear();
  }

  /** Is in work no more. */
  release({ entry }: KafkaDelivery): void {
    if (entry.holder !== undefined) this.held--;
    entry.holder = undefined;
  }

  settle(delivery: KafkaDelivery): void {
    const { entry } = delivery;
    if (entry.message === undefined) return;
    entry.message = undefined;
    this.release(delivery);
    this.#bytes -= entry.bytes;
  }

  #dropSettled(): void {
    const first = this.#entries.findIndex(({ message }) => message !== undefined);
    if (first !== 0) this.#entries.splice(0, first < 0 ? this.#entries.length : first);
  }

  /**
   * What becomes of the messages from the base on, for the next owner of the partition: how many are settled (`s`), are
   * untouched (`u`), wait (`w`) or are held (`h`), the last two with their counts unless these are 1, 0, 0, 0. What is
   * given up counts as never handed over.
   */
  note(isGivenUp: boolean, mostLength: number): string {
    const runs: { readonly kind: string; readonly counts: Counts; times: number }[] = [];
    const add = (kind: string, times: number, counts: Counts) => {
      const last = runs.at(-1);
      if (last?.kind === kind && isSame(last.counts, counts)) last.times += times;
      else if (times > 0) runs.push({ kind, counts, times });
    };
    const addWaiting = (counts: Counts) => add(isSame(counts, untouched) ? "u" : "w", 1, counts);
    const end = Math.max(this.#touchedEnd, this.#notes.end);
    let next = this.base;
    for (const entry of this.#entries) {
      if (entry.offset >= end) break;
      // What is not in the log any more is settled.
      add("s", entry.offset - next, untouched);
      next = entry.offset + 1;
      const { message, holder } = entry;
      if (message === undefined) add("s", 1, untouched);
      else if (holder === undefined && !entry.isAhead) addWaiting(entry);
      else if (holder === undefined || !isGivenUp) add("h", 1, entry);
      else {
        const { deliveries, isolations } = holder;
        addWaiting({
          deliveries: deliveries - 1,
          failures: entry.failures,
          isolations,
          delayMs: 0,
        });
      }
    }
    // What is noted of those that were not fetched yet stays so.
    for (const { settled, counts, end } = this.#notes; next < end; next++) {
      if (settled.has(next)) add("s", 1, untouched);
      else addWaiting(counts.get(next) ?? untouched);
    }
    let text = mark;
    // What finds no room is worked on again by the next owner.
    for (const { kind, counts, times } of runs) {
      const { deliveries, failures, isolations, delayMs } = counts;
      const isPlain = kind === "s" || kind === "u" || isSame(counts, handedOverOnce);
      const rest = isPlain ? "" : `,${deliveries},${failures},${isolations},${delayMs}`;
      const run = ` ${kind}${times}${rest}`;
      if (text.length + run.length > mostLength) break;
      text += run;
    }
    return text;
  }
}
