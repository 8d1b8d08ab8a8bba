import type { Params } from "../results/result.ts";

/** What a table shows of a row besides its time. */
export type Rate = "ns per chunk" | "MiB/s";

/** Whether a ratio is what its bar asks for. */
export function isBarReached({ atMost = Infinity, atLeast = 0 }: Bar, ratio: number): boolean {
  return ratio <= atMost && ratio >= atLeast;
}

/** One of the two rows that a bar compares. */
export interface BarSide {
  readonly contestant: string;
  /** What of its parameters is given; the rest is that of the table. */
  readonly params?: Params;
}

/** What is asked of a ratio. */
interface Limits extends Pick<Bar, "atMost" | "atLeast" | "whyMissed"> {
  /** Of both sides; default: those of the table. */
  readonly params?: Params;
  /** Where those of the divisor are others. */
  readonly divisorParams?: Params;
}

/** A bar of two contestants, by their names. */
export function bar(
  dividend: string,
  divisor: string,
  { params, divisorParams = params, ...limits }: Limits,
): Bar {
  const side = (contestant: string, params?: Params) =>
    params ? { contestant, params } : { contestant };
  return { dividend: side(dividend, params), divisor: side(divisor, divisorParams), ...limits };
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
