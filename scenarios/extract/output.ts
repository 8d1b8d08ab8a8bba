/** Where the bytes go. */
export interface Output {
  /** What it is called in messages to people. */
  readonly name: string;
  /** Whether there is something that `commit` would replace. */
  readonly hasOldContent: boolean;
  /** Writes all of `bytes`; not called again before it has ended. */
  write(bytes: Uint8Array): Promise<void>;
  /** Where it can: makes what was written safe, so that a run which is killed can go on after the row of that key. */
  keep?(last: readonly string[], rows: number): Promise<void>;
  /** Makes what was written the result. */
  commit(): Promise<void>;
  /** Takes back what can be taken back; does nothing after `commit` or a second time. */
  discard(): Promise<void>;
}
