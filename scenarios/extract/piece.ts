/** Rows as they are to be written. */
export interface Piece {
  /** Of a large row its parts, made one after the other. */
  readonly text: string | Uint8Array | Iterable<string>;
  readonly rows: number;
  /** Where the last of them lies in the span that is read. */
  readonly at: number | undefined;
  /** The key of the last of them, where it is asked for. */
  readonly key?: readonly string[] | undefined;
  /** About how much memory it takes, where its text is made of it later. Default: what its text takes. */
  readonly heldBytes?: number;
  /** Gives the bytes back to the thread that made them, once they are written. */
  readonly release?: () => void;
}
