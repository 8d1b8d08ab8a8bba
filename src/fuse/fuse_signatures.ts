// deno-fmt-ignore-file -- one line for each length of chain
// Written by scripts/gate/write_signatures.ts.
import type { FuseArguments } from "./types.ts";

/** The call signatures of `fuse`: one for each number of arguments, so that no two compete. */
export interface Fuse {
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1>(...args: FuseArguments<[T0, T1]>): ReadableWritablePair<T1, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2 = T1>(...args: FuseArguments<[T0, T1, T2]>): ReadableWritablePair<T2, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3 = T2>(...args: FuseArguments<[T0, T1, T2, T3]>): ReadableWritablePair<T3, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4 = T3>(...args: FuseArguments<[T0, T1, T2, T3, T4]>): ReadableWritablePair<T4, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5 = T4>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5]>): ReadableWritablePair<T5, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6 = T5>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6]>): ReadableWritablePair<T6, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7 = T6>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7]>): ReadableWritablePair<T7, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8 = T7>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8]>): ReadableWritablePair<T8, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9 = T8>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9]>): ReadableWritablePair<T9, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10 = T9>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10]>): ReadableWritablePair<T10, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11 = T10>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11]>): ReadableWritablePair<T11, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12 = T11>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12]>): ReadableWritablePair<T12, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13 = T12>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13]>): ReadableWritablePair<T13, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14 = T13>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14]>): ReadableWritablePair<T14, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15 = T14>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15]>): ReadableWritablePair<T15, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16 = T15>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16]>): ReadableWritablePair<T16, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17 = T16>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17]>): ReadableWritablePair<T17, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18 = T17>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18]>): ReadableWritablePair<T18, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19 = T18>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19]>): ReadableWritablePair<T19, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20 = T19>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20]>): ReadableWritablePair<T20, T0>;
  /**
   * Makes one pair of streams of the stages; the last argument may be strategies.
   *
   * @example
   * const upperCase = fuse(lines(), map((line) => line.toUpperCase()), encode());
   * return new Response(response.body.pipeThrough(upperCase));
   */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21 = T20>(...args: FuseArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21]>): ReadableWritablePair<T21, T0>;
}
