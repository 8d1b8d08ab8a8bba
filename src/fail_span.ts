/** The part of a span of OpenTelemetry that takes a failure. */
export interface FailableSpan {
  /** Says that what it stands for has failed: 2 is an error. */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Adds an event for an error. */
  recordException(exception: Error | string): void;
}

const statusError = 2;

function exceptionOf(reason: unknown): Error | string {
  if (reason instanceof Error) return reason;
  try {
    return String(reason);
  } catch {
    return typeof reason;
  }
}

/** Marks a span as failed, for any reason that can be thrown. */
export function failSpan(span: FailableSpan, reason: unknown): void {
  const exception = exceptionOf(reason);
  span.recordException(exception);
  span.setStatus({
    code: statusError,
    message: typeof exception === "string" ? exception : exception.message,
  });
}
