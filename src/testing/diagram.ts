/** What may happen in a diagram. */
export type DiagramKind = "chunk" | "end" | "fail" | "cancel" | "request";

/** One thing that happens, and when. */
export interface DiagramEvent {
  readonly kind: DiagramKind;
  readonly atMs: number;
  /** The letter of a chunk; how many chunks are requested; otherwise the sign. */
  readonly name: string;
}

/** A diagram as it is read. */
export interface Diagram {
  readonly events: readonly DiagramEvent[];
  /** Where its last column ends. */
  readonly endsAtMs: number;
}

/** The signs of what ends a diagram. */
export const signs: Readonly<Record<string, DiagramKind>> = {
  "|": "end",
  "#": "fail",
  "!": "cancel",
};
