/** A part of a multipart body. */
export interface MultipartPart {
  /** Its headers. */
  readonly headers: Headers;
  /** The name of its field, if it has one: any text, line breaks too, as forms write them with `%0D%0A`. */
  readonly name: string | undefined;
  /**
   * The name of its file, from `filename*` or `filename`, without folders and drive: the last part of a path, `""` for
   * `..`. A control character, such as a line break, is U+FFFD. It is `undefined` if the part is no file.
   */
  readonly filename: string | undefined;
  /** Its bytes, with a `highWaterMark` of 0: they are read from the request as they are asked for, before the next part. */
  readonly body: ReadableStream<Uint8Array>;
}
