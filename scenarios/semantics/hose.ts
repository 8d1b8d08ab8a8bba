/** How a hose is laid: reader, transformer and, if it has one, a writer whose writes end on demand. */
export interface HoseOptions {
  /** Of every buffer; in messages, or in bytes if `chunkBytes` is given. Default: each stream's own. */
  readonly highWaterMark?: number;
  /** Makes it a hose of bytes, in chunks of so many. */
  readonly chunkBytes?: number;
  /** How many messages one read brings. Default: 1. */
  readonly batchSize?: number;
  readonly hasWriter?: boolean;
}

/** Where everything is that was ever read; in messages, or in bytes. */
export interface HoseState {
  readonly read: number;
  readonly transformed: number;
  readonly readerOut: number;
  /** The most that was in it at a time. */
  readonly readerOutMost: number;
  /** Waiting to be transformed. */
  readonly transformerIn: number;
  readonly transformerOut: number;
  /** Waiting to be written. */
  readonly writerIn: number;
  readonly writing: number;
  readonly written: number;
  /** What the stream itself says is in the transformer's incoming buffer, if it says so. */
  readonly transformerInSaid?: number;
}

/** A pipeline whose source never ends. */
export interface Hose {
  state(): HoseState;
  /** Ends the write in flight. */
  finishWrite(): void;
  /** Takes it down. */
  dispose(): Promise<void>;
}

/** Lays a hose on one of the two APIs. */
export type LayHose = (options: HoseOptions) => Hose;
