/** How bytes become text. */
export interface DecodingOptions {
  /**
   * The label of the encoding that bytes have, one that `TextDecoder` knows, such as `windows-1252` or `utf-16le`.
   * Text stays as it is. Default: `utf-8`.
   */
  encoding?: string | undefined;
  /**
   * Whether bytes that their encoding does not have fail the stream with a `SyntaxError` that says the line and the
   * byte. Default: `false`, they become U+FFFD.
   */
  fatal?: boolean | undefined;
}
