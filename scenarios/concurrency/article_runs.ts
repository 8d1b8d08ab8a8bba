/** How the writer of a run keeps several writes in flight. */
export type Admission = "any" | "last";

/** One line of the article's run table. */
export interface ArticleRun {
  readonly name: string;
  readonly messages: number;
  readonly concurrency: number;
  /** How many messages one read takes. */
  readonly batchSize: number;
  /** Which finished write lets the next one in. */
  readonly admit: Admission;
  /** What the article measured, in seconds. */
  readonly articleSeconds: number;
  /** How many times faster than the article it runs by default. */
  readonly speedup: number;
}

const oneAtATime = { messages: 100, concurrency: 1, batchSize: 1, speedup: 40 } as const;
const any = { batchSize: 1, admit: "any" } as const;
const last = { batchSize: 1, admit: "last" } as const;

/**
 * The runs of "Understanding the node stream API" (2018), every high-water mark 10. The most eager speedup is that of
 * the runs whose makespan is a plain sum; the others keep a mean delay of 43 or 65 ms, so that a timer's lateness of
 * about a millisecond stays small beside it.
 */
export const articleRuns: readonly ArticleRun[] = [
  { ...oneAtATime, name: "3.1", admit: "any", articleSeconds: 69 },
  { ...oneAtATime, name: "4.1", admit: "any", batchSize: 5, articleSeconds: 68 },
  { ...oneAtATime, name: "5.1", admit: "last", articleSeconds: 67 },
  { ...last, name: "5.2", messages: 100, concurrency: 10, articleSeconds: 10, speedup: 10 },
  { ...last, name: "5.3", messages: 1000, concurrency: 10, articleSeconds: 95, speedup: 15 },
  { ...last, name: "5.4", messages: 1000, concurrency: 100, articleSeconds: 14, speedup: 10 },
  { ...oneAtATime, name: "6.1", admit: "any", articleSeconds: 68 },
  { ...any, name: "6.2", messages: 100, concurrency: 10, articleSeconds: 8, speedup: 10 },
  { ...any, name: "6.3", messages: 1000, concurrency: 10, articleSeconds: 72, speedup: 15 },
  { ...any, name: "6.4", messages: 1000, concurrency: 100, articleSeconds: 9, speedup: 10 },
];
