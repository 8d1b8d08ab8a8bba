/** Chunks that have the same key. */
export interface KeyedBatch<Key, T> {
  /** What they have in common. */
  readonly key: Key;
  /** The chunks, in order. */
  readonly chunks: T[];
}
