/** What is used of a message of `@nats-io/nats-core`. */
export interface NatsMessage {
  /** Where it was sent. */
  readonly subject: string;
  /** What it says. */
  readonly data: Uint8Array;
  /** Where an answer goes. */
  readonly reply?: string;
  /** A status of the server's, if there is one. */
  readonly headers?: { readonly code: number; readonly description: string };
}

/** What is used of a subscription. */
export interface NatsSubscription {
  /** Takes no more. */
  unsubscribe(): void;
  /** Takes no more than what is on its way. */
  drain(): Promise<void>;
}

/** What is used of a connection of `@nats-io/nats-core`. */
export interface NatsConnection {
  /** What the server says of itself. */
  readonly info?: { readonly max_payload: number } | undefined;
  /** Sends a message. */
  publish(subject: string, data?: Uint8Array | string, options?: { reply?: string }): void;
  /** Sends a message and waits for its answer. */
  request(
    subject: string,
    data?: Uint8Array | string,
    options?: { timeout: number },
  ): Promise<NatsMessage>;
  /** Fulfils once the server has read all that was sent so far. */
  flush(): Promise<void>;
  /** Listens. */
  subscribe(
    subject: string,
    options: { callback: (error: Error | null, message: NatsMessage) => void },
  ): NatsSubscription;
}

/** What is used of a JetStream client of `@nats-io/jetstream`, as `jetstream(connection)` makes it. */
export interface NatsClient {
  /** Where its requests go, such as `$JS.API`. */
  readonly apiPrefix: string;
  /** Adds a message to the stream of a subject. */
  publish(
    subject: string,
    data?: Uint8Array | string,
    options?: { msgID?: string },
  ): Promise<unknown>;
}

/** The connection below a JetStream client, which has a method for it that its type does not tell. */
export function connectionOf(client: NatsClient): NatsConnection | undefined {
  return (client as { getConnection?: () => NatsConnection } | null)?.getConnection?.();
}
