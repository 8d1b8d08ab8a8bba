import type { Delivery, Receipt } from "../queue_source.ts";
import { decodeUtf8 } from "./decode_utf8.ts";
import { type Flaw, readCounts } from "./read_counts.ts";

/** A row of a lease. */
export interface SqliteRow {
  readonly row: number;
  /** `null` if it is missing, or is read when its turn comes. */
  readonly body: unknown;
  /**
   * As JSON: deliveries, failures, isolations, 1 if the body is text kept as bytes, its bytes, the sender's id, and
   * what type the body has.
   */
  readonly account: string | null;
}

/** What a lease says of a message: the size is `null` if it has no body. */
type Account = readonly [
  deliveries: unknown,
  failures: unknown,
  isolations: unknown,
  isText: unknown,
  bytes: number | null,
  name: string | null,
  type?: string,
];

/** The account of a message that nothing has happened to. */
const newAccount: Account = [1, 0, 0, 0, 0, null];

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
  flaw: Flaw | undefined;
  /** Reads the body; only of a delivery that has come without it. */
  load: (() => Promise<boolean>) | undefined;

  constructor(
    { row, body, account }: SqliteRow,
    tag: string,
    lease: number,
    load: (delivery: SqliteDelivery<T>) => Promise<boolean>,
  ) {
    const [deliveries, failures, isolations, isText, bytes, name, type] = account === null
      ? newAccount
      : JSON.parse(account) as Account;
    const { counts, flaw } = readCounts({ deliveries, failures, isolations });
    this.tag = tag;
    this.row = row;
    this.lease = lease;
    this.deliveries = counts.deliveries;
    this.failures = counts.failures;
    this.isolations = counts.isolations;
    this.name = name;
    this.body = body as T;
    this.bytes = undefined;
    this.flaw = flaw;
    this.load = undefined;
    if (body !== null) this.setBody(body, isText);
    else if (type === "integer" || type === "real") {
      this.setFlaw(new TypeError("Its body is a number"));
    } else if (bytes === null) this.setMissing();
    else {
      this.bytes = bytes;
      this.load = () => load(this);
    }
  }

  setBody(body: unknown, isText: unknown): void {
    this.body = body as T;
    if (isText === 1 && typeof body !== "string") this.setText(body as Uint8Array);
  }

  /** Takes the bytes of a text for its body; text that is none is a flaw. */
  setText(bytes: Uint8Array): void {
    try {
      this.body = decodeUtf8(bytes) as T;
    } catch (reason) {
      this.setFlaw(reason);
    }
  }

  setMissing(): void {
    this.setFlaw(new Error("Its body is missing"));
  }

  setFlaw(reason: unknown): void {
    this.flaw ??= { reason };
  }

  get id(): string {
    return this.name ?? `${this.tag}-${this.row}`;
  }

  get receipt(): Receipt {
    return this;
  }
}
