import type { FailableSpan } from "../fail_span.ts";

/** What `traceSave` needs of a span of OpenTelemetry. */
export interface SaveSpan extends FailableSpan {
  /** Ends it. */
  end(): void;
}

/** A link to another span. */
export interface SaveLink<SpanContext> {
  /** Names that span. */
  context: SpanContext;
}

/** What `traceSave` needs of a `Tracer` of OpenTelemetry. */
export interface SaveTracer<SpanContext> {
  /** Begins a span, and calls the function while it is the active one. */
  startActiveSpan<Result>(
    name: string,
    options: { attributes: Record<string, number>; links: SaveLink<SpanContext>[] },
    call: (span: SaveSpan) => Result,
  ): Result;
}
