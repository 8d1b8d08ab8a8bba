import { describeValue } from "../../errors.ts";

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
