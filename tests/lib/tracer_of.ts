import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";

/** The real SDK of OpenTelemetry, with an exporter that keeps what it is given. */
export function tracerOf() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  return { tracer: provider.getTracer("test"), spans: () => exporter.getFinishedSpans() };
}
