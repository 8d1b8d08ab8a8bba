/** What a cursor reads of a source: from the first number to before the second, of times or of keys. */
export interface Span {
  readonly from: number;
  readonly to: number;
}
