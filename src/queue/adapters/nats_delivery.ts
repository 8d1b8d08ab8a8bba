import type { Delivery, Receipt } from "../queue_source.ts";
import type { NatsAccount } from "./nats_accounts.ts";
import { decodeUtf8 } from "./decode_utf8.ts";
import type { NatsMessage } from "./nats_client.ts";
import type { Flaw } from "./read_counts.ts";

/** What the address for answers says: how often a message has been handed over, and which of its stream it is. */
function readReply(reply: string): [handedOver: number, sequence: number] {
  // $JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.…: nine tokens, or with a domain and an account's hash after
  // ACK. Not split: that would take longer than the rest of the delivery.
  const numbers: [number, number, number, number] = [0, 0, 0, 0];
  let token = 0;
  for (let index = 0; index < reply.length; index++) {
    const code = reply.charCodeAt(index);
    if (code === dot) token++;
    else if (token >= 4 && token < 8) numbers[token - 4] = numbers[token - 4]! * 10 + code - zero;
  }
  return token === 8 ? [numbers[0], numbers[1]] : [numbers[2], numbers[3]];
}

const dot = ".".charCodeAt(0);
const zero = "0".charCodeAt(0);

/** A message as JetStream hands it over: one object, since there are many. */
export class NatsDelivery implements Delivery<string | Uint8Array>, Receipt, NatsAccount {
  readonly reply: string;
  readonly sequence: number;
  readonly handedOver: number;
  readonly body: string | Uint8Array;
  flaw: Flaw | undefined;
  failures = 0;
  nacked = 0;
  isolations = 0;
  delayMs = 0;
  isNoted = false;
  /** When its lease is over, by `performance.now()`. */
  heldUntil = Infinity;
  /** That of the stream it came from, once that is sure. */
  tag: string;

  constructor({ reply = "", data }: NatsMessage, tag: string, format: "text" | "bytes") {
    const [handedOver, sequence] = readReply(reply);
    this.tag = tag;
    this.reply = reply;
    this.sequence = sequence;
    this.handedOver = handedOver;
    let body: string | Uint8Array = data;
    let flaw: Flaw | undefined;
    try {
      if (format === "text") body = decodeUtf8(data);
    } catch (reason) {
      flaw = { reason };
    }
    this.body = body;
    this.flaw = flaw;
  }

  // Made when it is asked for, as all that follows from the rest.
  get id(): string {
    return `${this.tag}-${this.sequence}`;
  }

  get receipt(): Receipt {
    return this;
  }

  get deliveries(): number {
    return this.handedOver - this.nacked;
  }

  /** Takes over what was noted of it at earlier deliveries. */
  setAccount({ failures, nacked, isolations, delayMs, isNoted, flaw }: NatsAccount): void {
    this.flaw ??= flaw;
    this.failures = failures;
    this.nacked = nacked;
    this.isolations = isolations;
    this.delayMs = delayMs;
    this.isNoted = isNoted;
  }
}
