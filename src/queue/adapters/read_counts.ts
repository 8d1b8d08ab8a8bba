import { describeValue } from "../../errors.ts";
import type { Delivery, Receipt } from "../queue_source.ts";

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text, or throws: a byte that is not text must not become another one silently. */
export function decodeUtf8(bytes: Uint8Array): string {
  // The lenient one is faster in Deno; it leaves this mark where the strict one would throw.
  const text = lenient.decode(bytes);
  if (!text.includes("\ufffd")) return text;
  try {
    return strict.decode(bytes);
  } catch (cause) {
    throw new TypeError("Its text is not UTF-8", { cause });
  }
}

/** What a broker keeps of a message's past. */
interface MessageCounts {
  readonly deliveries: number;
  readonly failures: number;
  readonly isolations: number;
}

/** Why a message is none that can be worked on. */
export interface Flaw {
  readonly reason: unknown;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && value as number >= 0;
}

/** The counts as they were kept, 0 for each that is none: that is the message's flaw. */
export function readCounts(kept: Readonly<Record<keyof MessageCounts, unknown>>): {
  readonly counts: MessageCounts;
  readonly flaw: Flaw | undefined;
} {
  let flaw: Flaw | undefined;
  const read = (name: keyof MessageCounts): number => {
    const value = kept[name];
    if (isCount(value)) return value;
    flaw ??= { reason: new TypeError(`Its ${name} must be a count, got ${describeValue(value)}`) };
    return 0;
  };
  const counts = {
    deliveries: read("deliveries"),
    failures: read("failures"),
    isolations: read("isolations"),
  };
  return { counts, flaw };
}

/** A message as a lease hands it over: one object, since there are many. */
export abstract class KeptDelivery<T> implements Delivery<T>, Receipt {
  body = null as T;
  abstract readonly id: string;
  /** That of the queue it came from, of which there may be another now. */
  readonly tag: string;
  deliveries: number;
  readonly failures: number;
  readonly isolations: number;
  bytes: number | undefined = undefined;
  flaw: Flaw | undefined;
  /** Reads the body; only of a delivery that has come without it. */
  load: (() => Promise<boolean>) | undefined = undefined;

  constructor(tag: string, kept: Readonly<Record<keyof MessageCounts, unknown>>) {
    const { counts, flaw } = readCounts(kept);
    this.tag = tag;
    this.deliveries = counts.deliveries;
    this.failures = counts.failures;
    this.isolations = counts.isolations;
    this.flaw = flaw;
  }

  get receipt(): Receipt {
    return this;
  }

  setFlaw(reason: unknown): void {
    this.flaw ??= { reason };
  }

  /** Takes its body; one that is missing, or cannot be read, is a flaw. */
  readBody(read: () => unknown): void {
    try {
      this.body = read() as T;
      if (this.body === null) throw new Error("Its body is missing");
    } catch (reason) {
      this.setFlaw(reason);
    }
  }
}
