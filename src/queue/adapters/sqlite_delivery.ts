import type { Delivery, Receipt } from "../queue_source.ts";

/** A row of a lease. */
export interface SqliteRow {
  readonly row: number;
  /** `null` if it is missing, or is read when its turn comes. */
  readonly body: unknown;
  /** As JSON: deliveries, failures, isolations, 1 if the body is text kept as bytes, its bytes, and the sender's id. */
  readonly account: string | null;
}

/** What a lease says of a message: the size is `null` if it has no body. */
type Account = readonly [
  deliveries: number,
  failures: number,
  isolations: number,
  isText: number,
  bytes: number | null,
  name: string | null,
];

/** The account of a message that nothing has happened to. */
const newAccount: Account = [1, 0, 0, 0, 0, null];

/** Text that is kept as bytes. */
export function decodeText(bytes: unknown): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes as Uint8Array);
}

/** A message as a lease hands it over: one object, since there are many. */
export class SqliteDelivery<T> implements Delivery<T>, Receipt {
  body: T;
  readonly row: number;
  readonly lease: number;
  readonly tag: string;
  readonly deliveries: number;
  readonly failures: number;
  readonly isolations: number;
  readonly bytes: number | undefined;
  /** The id that its sender gave it. */
  readonly name: string | null;
  flaw: { readonly reason: unknown } | undefined;
  /** Reads the body; only of a delivery that has come without it. */
  load: (() => Promise<boolean>) | undefined;

  constructor(
    { row, body, account }: SqliteRow,
    tag: string,
    lease: number,
    load: (delivery: SqliteDelivery<T>) => Promise<boolean>,
  ) {
    const [deliveries, failures, isolations, isText, bytes, name] = account === null
      ? newAccount
      : JSON.parse(account) as Account;
    this.tag = tag;
    this.row = row;
    this.lease = lease;
    this.deliveries = deliveries;
    this.failures = failures;
    this.isolations = isolations;
    this.name = name;
    this.body = body as T;
    this.bytes = undefined;
    this.flaw = undefined;
    this.load = undefined;
    if (body !== null) this.setBody(body, isText);
    else if (bytes === null) this.setMissing();
    else {
      this.bytes = bytes;
      this.load = () => load(this);
    }
  }

  setBody(body: unknown, isText: number): void {
    this.body = (isText === 1 ? decodeText(body) : body) as T;
  }

  setMissing(): void {
    this.flaw = { reason: new Error("Its body is missing") };
  }

  get id(): string {
    return this.name ?? `${this.tag}-${this.row}`;
  }

  get receipt(): Receipt {
    return this;
  }
}
