import { fuse } from "@hosepipe/streams";

/** Chunks that a program is given. */
export type Source = AsyncIterable<number>;

/** A function of the user's, which may fail. */
export type Fn = (n: number) => number;

/** What a program makes of its source: chunks, or a promise of one value. */
export type Made = AsyncIterable<unknown> | PromiseLike<unknown>;

/** One program. */
export type Program = (source: Source, fn: Fn) => Made;

/** A line of the table: what users write there, and here. */
export interface Row {
  readonly theirs: string;
  readonly ours: string;
  /** None where there is no counterpart, of which `ours` says so. */
  readonly programs?: { readonly theirs: Program; readonly ours: Program };
  /** Cases in which they answer otherwise, with the reason. */
  readonly differs?: Partial<Record<Case, string>>;
  /** Cases in which theirs never answers somewhere, with where. */
  readonly hangs?: Partial<Record<Case, string>>;
}

/** What a row is tried with. */
export type Case = "some" | "empty" | "fn fails" | "source fails" | "early end";

/** A row with programs. */
export function row(
  theirs: string,
  ours: string,
  programs: { readonly theirs: Program; readonly ours: Program },
  { differs, hangs }: Pick<Row, "differs" | "hangs"> = {},
): Row {
  return { theirs, ours, programs, differs, hangs };
}

/** A row of what has no counterpart. */
export function without(theirs: string, why: string): Row {
  return { theirs, ours: why };
}

/** The chunks of a source behind stages of ours. */
export function through(source: Source, ...stages: readonly unknown[]): AsyncIterable<unknown> {
  return ReadableStream.from(source)
    .pipeThrough((fuse as (...stages: unknown[]) => TransformStream)(...stages));
}
