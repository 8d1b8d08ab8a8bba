// deno-fmt-ignore-file -- one line for each length of chain
// Written by scripts/gate/write_signatures.ts.
import type { Transformer } from "../web_types.ts";
import type { ChainStage } from "../chain_types.ts";
import type { ComposeArguments, Repeatable } from "./compose_types.ts";

/** The call signatures of `compose`: one for each number of stages, and one for an array of them. */
export interface Compose {
  /** Makes a transformer that passes chunks on. */
  <T>(): Transformer<T, T>;
  /** Makes one transformer of one, or of an array of any number that give what they take. */
  <T0, T1>(stages: ChainStage<T0, T1> | Repeatable<T0, T1>): Transformer<T0, T1>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2>(...stages: ComposeArguments<[T0, T1, T2]>): Transformer<T0, T2>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3>(...stages: ComposeArguments<[T0, T1, T2, T3]>): Transformer<T0, T3>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4>(...stages: ComposeArguments<[T0, T1, T2, T3, T4]>): Transformer<T0, T4>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5]>): Transformer<T0, T5>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6]>): Transformer<T0, T6>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7]>): Transformer<T0, T7>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8]>): Transformer<T0, T8>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9]>): Transformer<T0, T9>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10]>): Transformer<T0, T10>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11]>): Transformer<T0, T11>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12]>): Transformer<T0, T12>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13]>): Transformer<T0, T13>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14]>): Transformer<T0, T14>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15]>): Transformer<T0, T15>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16]>): Transformer<T0, T16>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17]>): Transformer<T0, T17>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18]>): Transformer<T0, T18>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19]>): Transformer<T0, T19>;
  /** Makes one transformer of the stages. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20>(...stages: ComposeArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20]>): Transformer<T0, T20>;
}
