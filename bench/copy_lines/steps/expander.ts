/** A step with memory: each chunk gives none, one or many, and the end may give some more. */
export interface Expander<In, Out> {
  push(chunk: In): Out[];
  end(): Out[];
}
