/** What one demo does; each number may be set otherwise. */
export interface Demo {
  /** `01` to `06`. */
  readonly number: string;
  readonly title: string;
  /** The threshold of every buffer, in messages. */
  readonly highWaterMark: number;
  readonly messages: number;
  /** How many messages one read takes. */
  readonly batchSize: number;
  /** How many writes may be in flight. */
  readonly concurrency: number;
  /** Which finished write lets the next one in, once `concurrency` are in flight. */
  readonly admit: "any" | "last";
  /** Whether there is a writer, and whether its writes take time. */
  readonly writer: "none" | "fast" | "slow";
}

const simple = { batchSize: 1, concurrency: 1, admit: "any" } as const;

/** The six demos of "Understanding the node stream API" (2018), with its numbers. */
export const demos: readonly Demo[] = [
  {
    ...simple,
    number: "01",
    title: "fast reader, fast writer",
    highWaterMark: 2,
    messages: 10,
    writer: "fast",
  },
  { ...simple, number: "02", title: "no writer", highWaterMark: 5, messages: 20, writer: "none" },
  { ...simple, number: "03", title: "slow writer", highWaterMark: 2, messages: 10, writer: "slow" },
  {
    ...simple,
    number: "04",
    title: "batch reader, slow writer",
    highWaterMark: 4,
    messages: 20,
    batchSize: 5,
    writer: "slow",
  },
  {
    ...simple,
    number: "05",
    title: "ten writes at a time, the last one started lets the next in",
    highWaterMark: 2,
    messages: 20,
    concurrency: 10,
    admit: "last",
    writer: "slow",
  },
  {
    ...simple,
    number: "06",
    title: "ten writes at a time, any that finishes lets the next in",
    highWaterMark: 2,
    messages: 20,
    concurrency: 10,
    writer: "slow",
  },
];
