// deno-fmt-ignore-file -- one line for each length of chain
// Written by scripts/gate/write_signatures.ts.
import type { Transformer } from "../web_types.ts";
import type { Message } from "./message.ts";
import type { Output } from "./output.ts";
import type { PerMessageArguments, PerMessageOptions } from "./per_message_types.ts";

/** The call signatures of `perMessage`: one for each number of stages. */
export interface PerMessage {
  /** Makes an output of each body as it is. */
  <T>(options?: PerMessageOptions): Transformer<Message<T>, Output<T>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1>(...args: PerMessageArguments<[T0, T1]>): Transformer<Message<T0>, Output<T1>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2>(...args: PerMessageArguments<[T0, T1, T2]>): Transformer<Message<T0>, Output<T2>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3>(...args: PerMessageArguments<[T0, T1, T2, T3]>): Transformer<Message<T0>, Output<T3>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4>(...args: PerMessageArguments<[T0, T1, T2, T3, T4]>): Transformer<Message<T0>, Output<T4>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5]>): Transformer<Message<T0>, Output<T5>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6]>): Transformer<Message<T0>, Output<T6>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7]>): Transformer<Message<T0>, Output<T7>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8]>): Transformer<Message<T0>, Output<T8>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9]>): Transformer<Message<T0>, Output<T9>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10]>): Transformer<Message<T0>, Output<T10>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11]>): Transformer<Message<T0>, Output<T11>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12]>): Transformer<Message<T0>, Output<T12>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13]>): Transformer<Message<T0>, Output<T13>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14]>): Transformer<Message<T0>, Output<T14>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15]>): Transformer<Message<T0>, Output<T15>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16]>): Transformer<Message<T0>, Output<T16>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17]>): Transformer<Message<T0>, Output<T17>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18]>): Transformer<Message<T0>, Output<T18>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19]>): Transformer<Message<T0>, Output<T19>>;
  /** Runs each message through the stages; the last argument may be options. */
  <T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20>(...args: PerMessageArguments<[T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20]>): Transformer<Message<T0>, Output<T20>>;
}
