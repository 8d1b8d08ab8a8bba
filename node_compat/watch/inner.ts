/** What node calls back with. */
export type Callback = (error?: Error | null, value?: unknown) => void;
type Push = (chunk: unknown, encoding?: BufferEncoding) => boolean;

/** What a stream calls by itself; own properties of the same names take precedence. */
export interface Inner {
  push: Push;
  write(...args: unknown[]): boolean;
  _read(size: number): void;
  _write(chunk: unknown, encoding: BufferEncoding, callback: Callback): void;
  _writev?: ((chunks: { chunk: unknown }[], callback: Callback) => void) | null;
  _transform(chunk: unknown, encoding: BufferEncoding, callback: Callback): void;
  _final?: (callback: Callback) => void;
  _flush?: (callback: Callback) => void;
}
