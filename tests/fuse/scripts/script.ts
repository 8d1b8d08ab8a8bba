/** What a transformer's method does, in the order given. */
export type Act = "enqueue" | "error" | "terminate" | "throw" | "tick" | "hold";

/** One step of a script, as a user at the ends of a pair takes it. */
export type Step =
  | "write"
  | "close"
  | "abort"
  | "read"
  | "cancel"
  | "enqueue"
  | "error"
  | "terminate"
  | "look"
  | "release"
  | "tick"
  | "turn";

/** A transformer between two ends, and what is done with them, step by step. */
export interface Script {
  readonly start: readonly Act[];
  /** What each call of `transform` does; the last goes on for ever. None: there is no `transform`. */
  readonly transform: readonly (readonly Act[])[];
  readonly flush: readonly Act[] | null;
  readonly cancel: readonly Act[] | null;
  readonly writableMark: number | null;
  readonly readableMark: number | null;
  /** Whether the strategies have a `size`. */
  readonly hasSize: boolean;
  readonly steps: readonly Step[];
}
