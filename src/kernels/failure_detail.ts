/** What only a part inside of a source or a sink knows of a failure. */
export interface FailureDetail {
  /** "source 2 of merge". */
  readonly name: string;
  readonly chunkIndex?: number | undefined;
}

const details = new WeakMap<object, FailureDetail>();

/** Keeps what is known of a failure; the first to know it counts. */
export function noteDetail(reason: unknown, detail: FailureDetail): void {
  if (Object(reason) === reason && !details.has(reason as object)) {
    details.set(reason as object, detail);
  }
}

/** What is known of a failure. */
export function detailOf(reason: unknown): FailureDetail | undefined {
  return details.get(reason as object);
}
