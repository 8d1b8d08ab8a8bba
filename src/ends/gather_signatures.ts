// deno-fmt-ignore-file -- one line for each length of chain
// Written by scripts/gate/write_signatures.ts.
import type { Fits, GatherArguments, Gathered } from "./gather_types.ts";

/** The call signatures of an end such as `toArray`: one for each number of arguments, so that no two compete. */
export interface Gather<Name extends keyof Gathered<unknown>> {
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0 extends Fits<Name>>(...args: GatherArguments<Name, [T0]>): Gathered<T0>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1 extends Fits<Name> = T0 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1]>): Gathered<T1>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2 extends Fits<Name> = T1 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2]>): Gathered<T2>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3 extends Fits<Name> = T2 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3]>): Gathered<T3>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4 extends Fits<Name> = T3 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4]>): Gathered<T4>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5 extends Fits<Name> = T4 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5]>): Gathered<T5>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6 extends Fits<Name> = T5 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6]>): Gathered<T6>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7 extends Fits<Name> = T6 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7]>): Gathered<T7>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8 extends Fits<Name> = T7 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8]>): Gathered<T8>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9 extends Fits<Name> = T8 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9]>): Gathered<T9>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10 extends Fits<Name> = T9 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10]>): Gathered<T10>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11 extends Fits<Name> = T10 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11]>): Gathered<T11>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12 extends Fits<Name> = T11 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12]>): Gathered<T12>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13 extends Fits<Name> = T12 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13]>): Gathered<T13>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14 extends Fits<Name> = T13 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14]>): Gathered<T14>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15 extends Fits<Name> = T14 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15]>): Gathered<T15>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16 extends Fits<Name> = T15 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16]>): Gathered<T16>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17 extends Fits<Name> = T16 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17]>): Gathered<T17>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18 extends Fits<Name> = T17 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18]>): Gathered<T18>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19 extends Fits<Name> = T18 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19]>): Gathered<T19>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20 extends Fits<Name> = T19 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20]>): Gathered<T20>[Name]["result"];
  /** Pulls the source through the stages and gathers what comes out; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21 extends Fits<Name> = T20 & Fits<Name>>(...args: GatherArguments<Name, [T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T21]>): Gathered<T21>[Name]["result"];
}
