/** What the address for answers says of a delivery. */
export interface NatsReply {
  readonly reply: string;
  /** How often the message has been handed over, this time included. */
  readonly handedOver: number;
  /** Which message of its stream it is. */
  readonly sequence: number;
}

/** `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.…`, or with a domain and an account's hash after `ACK`. */
export function readNatsReply(reply: string): NatsReply {
  const tokens = reply.split(".");
  const first = tokens.length === 9 ? 4 : 6;
  return { reply, handedOver: Number(tokens[first]), sequence: Number(tokens[first + 1]) };
}
