import type { Delivery, Receipt } from "../queue_source.ts";
import type { NatsAccount } from "./nats_accounts.ts";
import type { NatsMessage } from "./nats_client.ts";

/** What the address for answers says: how often a message has been handed over, and which of its stream it is. */
function readReply(reply: string): [handedOver: number, sequence: number] {
  // $JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.…, or with a domain and an account's hash after ACK.
  const tokens = reply.split(".");
  const first = tokens.length === 9 ? 4 : 6;
  return [Number(tokens[first]), Number(tokens[first + 1])];
}

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text, or throws: a byte that is not text must not become another one silently. */
function decodeText(data: Uint8Array): string {
  // The lenient one is faster in Deno; it leaves this mark where the strict one would throw.
  const text = lenient.decode(data);
  return text.includes("\ufffd") ? strict.decode(data) : text;
}

/** A message as JetStream hands it over: one object, since there are many. */
export class NatsDelivery implements Delivery<string | Uint8Array>, Receipt, NatsAccount {
  readonly id: string;
  readonly reply: string;
  readonly sequence: number;
  readonly handedOver: number;
  readonly body: string | Uint8Array;
  /** Why its body is not what it should be: such a message is dead at once. */
  readonly flaw: { readonly reason: unknown } | undefined;
  failures = 0;
  givenBack = 0;
  isolations = 0;
  isNoted = false;

  constructor({ reply = "", data }: NatsMessage, tag: string, format: "text" | "bytes") {
    const [handedOver, sequence] = readReply(reply);
    this.id = `${tag}-${sequence}`;
    this.reply = reply;
    this.sequence = sequence;
    this.handedOver = handedOver;
    let body: string | Uint8Array = data;
    let flaw: { readonly reason: unknown } | undefined;
    try {
      if (format === "text") body = decodeText(data);
    } catch (reason) {
      flaw = { reason };
    }
    this.body = body;
    this.flaw = flaw;
  }

  get receipt(): Receipt {
    return this;
  }

  get deliveries(): number {
    return this.handedOver - this.givenBack;
  }

  /** Takes over what was noted of it at earlier deliveries. */
  setAccount({ failures, givenBack, isolations, isNoted }: NatsAccount): void {
    this.failures = failures;
    this.givenBack = givenBack;
    this.isolations = isolations;
    this.isNoted = isNoted;
  }
}
