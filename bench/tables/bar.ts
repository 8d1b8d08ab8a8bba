import type { Params } from "../results/params.ts";

/** One of the two rows that a bar compares. */
export interface BarSide {
  readonly contestant: string;
  /** What of its parameters is given; the rest is that of the table. */
  readonly params?: Params;
}

/** What a ratio of times has to come to; shown below the table of the dividend's parameters. */
export interface Bar {
  readonly dividend: BarSide;
  readonly divisor: BarSide;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** Why it is missed where it is, as a sentence; printed only where rows say that it is. */
  readonly whyMissed?: string;
}
