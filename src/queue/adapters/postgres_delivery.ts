import type { Delivery, Receipt } from "../queue_source.ts";

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

/** What a row has as its body; text with NUL is kept as bytes, since PostgreSQL's text has none. */
export function readPostgresBody(
  { text, bytes, isText }: Pick<PostgresMessageRow, "text" | "bytes" | "isText">,
): string | Uint8Array | null {
  if (text !== null || bytes === null) return text;
  if (isText) return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A message as a lease hands it over. */
export class PostgresDelivery<T> implements Delivery<T>, Receipt {
  body: T;
  readonly row: string;
  readonly lease: number;
  readonly tag: string;
  readonly id: string;
  readonly deliveries: number;
  readonly failures: number;
  readonly isolations: number;
  readonly bytes: number | undefined;
  flaw: { readonly reason: unknown } | undefined;
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
    this.deliveries = deliveries;
    this.failures = failures;
    this.isolations = isolations;
    const body = readPostgresBody(found);
    this.body = body as T;
    this.bytes = undefined;
    this.flaw = undefined;
    this.load = undefined;
    if (isMissing) this.setMissing();
    else if (body === null) {
      this.bytes = Number(size);
      this.load = () => load(this);
    }
  }

  setMissing(): void {
    this.flaw = { reason: new Error("Its body is missing") };
  }

  get receipt(): Receipt {
    return this;
  }
}
