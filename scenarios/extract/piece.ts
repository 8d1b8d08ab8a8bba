/** Rows as they are to be written. */
export interface Piece {
  /** Of a large row its parts, made one after the other. */
  readonly text: string | Uint8Array | Iterable<string>;
  readonly rows: number;
  /** Where the last of them lies in the span that is read. */
  readonly at: number | undefined;
  /** Gives the bytes back to the thread that made them, once they are written. */
  readonly release?: () => void;
}
