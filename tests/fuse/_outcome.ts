import type { Recorder } from "./_recorder.ts";

/** What one run of a chain did, as far as anybody can see. */
export interface Outcome {
  readonly recorder: Recorder;
  /** What the consumer got. */
  readonly chunks: string[];
  /** How it ended for the consumer; `label` is the reason's. */
  end: { readonly how: "closed" | "failed" | "cancelled" | "hung"; readonly label?: string };
  /** What building the chain threw. */
  thrown?: string;
  /** How many chunks the source was asked for. */
  reads: number;
  /** The reason the source was cancelled for. */
  sourceCancel?: string;
  /** Whether the source has ended, failed or been told to. */
  hasSourceEnded: boolean;
}

export function newOutcome(recorder: Recorder): Outcome {
  return { recorder, chunks: [], end: { how: "hung" }, reads: 0, hasSourceEnded: false };
}
