import type { Delivery, Receipt } from "../queue_source.ts";
import { decodeUtf8 } from "./decode_utf8.ts";
import { type Flaw, readCounts } from "./read_counts.ts";

/** A row of a lease. */
export interface PostgresMessageRow {
  readonly row: string;
  readonly size: string;
  readonly name: string | null;
  readonly deliveries: number;
  readonly failures: number;
  readonly isolations: number;
  readonly isText: boolean;
  readonly isMissing: boolean;
  readonly text: string | null;
  readonly bytes: Uint8Array | null;
  readonly tag: string;
}

/** What a row has as its body; text with NUL is kept as bytes, as PostgreSQL's text has none. Throws if it is no text. */
export function readPostgresBody(
  { text, bytes, isText }: Pick<PostgresMessageRow, "text" | "bytes" | "isText">,
): string | Uint8Array | null {
  if (text !== null || bytes === null) return text;
  if (isText) return decodeUtf8(bytes);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A message as a lease hands it over. */
export class PostgresDelivery<T> implements Delivery<T>, Receipt {
  body = null as T;
  readonly row: string;
  readonly lease: number;
  readonly tag: string;
  readonly id: string;
  readonly deliveries: number;
  readonly failures: number;
  readonly isolations: number;
  readonly bytes: number | undefined;
  flaw: Flaw | undefined;
  readonly load: (() => Promise<boolean>) | undefined;

  constructor(
    found: PostgresMessageRow,
    lease: number,
    load: (delivery: PostgresDelivery<T>) => Promise<boolean>,
  ) {
    const { row, tag, name, deliveries, failures, isolations, isMissing, size } = found;
    this.row = row;
    this.lease = lease;
    this.tag = tag;
    this.id = name ?? `${tag}-${row}`;
    const { counts, flaw } = readCounts({ deliveries, failures, isolations });
    this.deliveries = counts.deliveries;
    this.failures = counts.failures;
    this.isolations = counts.isolations;
    this.bytes = undefined;
    this.flaw = flaw;
    this.load = undefined;
    if (isMissing || found.text !== null || found.bytes !== null) this.setBody(found);
    else {
      this.bytes = Number(size);
      this.load = () => load(this);
    }
  }

  /** Takes its body from its row; one that is missing, or no text, is a flaw. */
  setBody(found: Pick<PostgresMessageRow, "text" | "bytes" | "isText">): void {
    try {
      this.body = readPostgresBody(found) as T;
      if (this.body === null) throw new Error("Its body is missing");
    } catch (reason) {
      this.flaw ??= { reason };
    }
  }

  get receipt(): Receipt {
    return this;
  }
}
