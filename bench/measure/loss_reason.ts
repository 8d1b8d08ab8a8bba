/** What a rival saves where it is faster than ours, as a line of the list that groups them begins. */
export const lossKinds = {
  setUp: "A run takes longer to set up",
  checks: "Each chunk is checked for a promise",
  native: "No chunk reaches JavaScript",
  simpler: "A loop, callback or array in place of a stream",
  adapter: "The runtime's own stream needs no adapter",
  noise: "The difference is noise",
  unknown: "Not explained yet",
} as const;

export type LossKind = keyof typeof lossKinds;

/** Why a rival is faster than ours. */
export interface LossReason {
  readonly kind: LossKind;
  /** As a sentence; a capital and a stop are put where they are missing. */
  readonly why: string;
}
