/** What a store is given of a message. */
export interface StoredRow {
  readonly key: string;
  /** When the message was sent, in milliseconds since 1970. */
  readonly sentAt: number;
}

/** Stores rows, each key once; fulfils once they are committed. */
export type Save = (rows: readonly StoredRow[]) => Promise<void>;

/** A queue as one of its processes uses it. */
export interface OpenContestant {
  /** Makes what it needs, once, before any worker starts. */
  setUp(): Promise<void>;
  send(bodies: readonly string[]): Promise<void>;
  /** Works on messages until what it fulfils with is called. */
  work(save: Save): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** A contestant, in a module of its own. */
export interface QueueContestant {
  open(address: string): Promise<OpenContestant>;
}

/** How many messages are stored at a time, where the contestant has a say in it. */
export const batchSize = 256;

/** A message: its key and when it was sent, in 200 characters. */
export function toBody(key: string, sentAt: number): string {
  return `${key} ${sentAt} `.padEnd(200, "x");
}

/** What is stored of a message. */
export function toRow(body: string): StoredRow {
  const [key, sentAt] = body.split(" ");
  return { key: key!, sentAt: Number(sentAt) };
}
