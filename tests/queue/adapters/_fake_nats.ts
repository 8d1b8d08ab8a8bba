import type {
  NatsClient,
  NatsConnection,
  NatsMessage,
} from "../../../src/queue/adapters/nats_client.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const toText = (data: Uint8Array | string = "") =>
  typeof data === "string" ? data : decoder.decode(data);

/** A message as a server sends it. */
export function fakeMessage(
  data: string | Uint8Array,
  { reply, code, description = "" }: { reply?: string; code?: number; description?: string } = {},
): NatsMessage {
  return {
    subject: "s",
    data: typeof data === "string" ? encoder.encode(data) : data,
    ...(reply === undefined ? {} : { reply }),
    ...(code === undefined ? {} : { headers: { code, description } }),
  };
}

/** One pull: what was asked, and how to answer it. */
export interface FakePull {
  readonly subject: string;
  readonly inbox: string;
  readonly request: { batch: number; no_wait: boolean; expires: number; max_bytes?: number };
  give(...messages: NatsMessage[]): void;
  fail(error: Error): void;
}

/** A client of NATS and its connection without a server: what is sent is noted, what is answered is the test's. */
export class FakeNats implements NatsConnection, NatsClient {
  readonly apiPrefix = "$JS.API";
  readonly options: { inboxPrefix?: string } = {};
  /** What was sent, as `subject text`; of requests, `?subject text`. */
  readonly sent: string[] = [];
  readonly timeouts: (number | undefined)[] = [];
  /** Listeners that are there now. */
  subscriptions = 0;
  drains = 0;
  flushes = 0;
  /** When the stream of messages was made; `undefined` leaves the answer to `onRequest`. */
  created: string | undefined = "1970-01-01T00:00:00.005Z";
  /** How often that was asked. */
  looks = 0;
  /** What the server says to a request; what it throws is the connection's failure. */
  onRequest: (subject: string, text: string) => unknown = () => ({});
  onPull: (pull: FakePull) => void = () => {};
  onDrain: () => Promise<void> = () => Promise.resolve();
  onFlush: () => Promise<void> = () => Promise.resolve();
  #callback: ((error: Error | null, message: NatsMessage) => void) | undefined;

  getConnection(): NatsConnection {
    return this;
  }

  publish(
    subject: string,
    data?: Uint8Array | string,
    options: { reply?: string; msgID?: string } = {},
  ): Promise<void> {
    this.sent.push(`${subject} ${toText(data)}`);
    const inbox = options.reply;
    const callback = this.#callback;
    if (inbox !== undefined && callback !== undefined) {
      this.onPull({
        ...{ subject, inbox, request: JSON.parse(toText(data)) },
        give: (...messages) => messages.forEach((message) => callback(null, message)),
        fail: (error) => callback(error, fakeMessage("")),
      });
    }
    return Promise.resolve();
  }

  async request(
    subject: string,
    data?: Uint8Array | string,
    options?: { timeout: number },
  ): Promise<NatsMessage> {
    if (this.created !== undefined && subject === `${this.apiPrefix}.STREAM.INFO.jobs`) {
      this.looks++;
      return fakeMessage(JSON.stringify({ created: this.created, config: {} }));
    }
    this.sent.push(`?${subject} ${toText(data)}`);
    this.timeouts.push(options?.timeout);
    return fakeMessage(JSON.stringify(await this.onRequest(subject, toText(data))));
  }

  flush(): Promise<void> {
    this.flushes++;
    return this.onFlush();
  }

  subscribe(
    _subject: string,
    { callback }: { callback: (error: Error | null, message: NatsMessage) => void },
  ): { unsubscribe(): void; drain(): Promise<void> } {
    this.subscriptions++;
    this.#callback = callback;
    return {
      unsubscribe: () => void this.subscriptions--,
      drain: () => {
        this.drains++;
        return this.onDrain();
      },
    };
  }
}
