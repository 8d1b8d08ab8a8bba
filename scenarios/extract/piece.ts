/** Rows as they are to be written. */
export interface Piece {
  readonly text: string | Uint8Array;
  readonly rows: number;
  /** The time of the last of them; none without rows. */
  readonly lastSentAtMs: number | undefined;
  /** Gives the bytes back to whoever made them, once they are written. */
  readonly release?: () => void;
}
