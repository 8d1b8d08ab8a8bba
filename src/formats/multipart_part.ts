/** A part of a multipart body. */
export interface MultipartPart {
  /** Its headers. */
  readonly headers: Headers;
  /** The name of its field, if it has one. */
  readonly name: string | undefined;
  /**
   * The name of its file, from `filename*` or `filename`, without folders: the last part of a path, `""` for `..`. It
   * is `undefined` if the part is no file.
   */
  readonly filename: string | undefined;
  /** Its bytes, with a `highWaterMark` of 0: they are read from the request as they are asked for, before the next part. */
  readonly body: ReadableStream<Uint8Array>;
}
