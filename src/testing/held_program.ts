/** One run of what is under test, as small as it can be to show what a law is about. */
export interface HeldProgram<Way, Stop, Slow> {
  /** How it stands between source and sink. */
  readonly way: Way;
  /** How many chunks the source gives, and what it does then. */
  readonly give: number;
  readonly then: "end" | "stall" | "fail";
  /** What is done when nothing moves any more, or after `at` chunks. */
  readonly stop?: Stop;
  readonly at?: number;
  /** What the source fails with, or what the stop gives. */
  readonly reason?: unknown;
  readonly slow?: Slow;
  /** Whether what is under test is one that fails with `reason` by itself. */
  readonly isFailing?: boolean;
}
