import type { FailableSpan } from "../fail_span.ts";

/** What `traceRun` and `traceSave` need of a span of OpenTelemetry. */
export interface RunSpan extends FailableSpan {
  /** Adds attributes. */
  setAttributes(attributes: Record<string, string | number>): unknown;
  /** Ends it; a time is in milliseconds since 1970. */
  end(endTime?: number): void;
}

/** How a span begins. */
export interface RunSpanOptions {
  /** What is known of it from the beginning. */
  attributes?: Record<string, string | number> | undefined;
}

/** What `traceRun` needs of a `Tracer` of OpenTelemetry. */
export interface RunTracer<Span, Context> {
  /** Begins a span; its parent is the one that the context has. */
  startSpan(name: string, options?: RunSpanOptions, context?: Context): Span;
}

/** What `traceRun` needs of `@opentelemetry/api` itself: which span is active, and how another becomes a parent. */
export interface TraceApi<Span, Context> {
  /** Gives the context of the caller. */
  readonly context: { active(): Context };
  /** Makes a context that has a span. */
  readonly trace: { setSpan(context: Context, span: Span): Context };
}
