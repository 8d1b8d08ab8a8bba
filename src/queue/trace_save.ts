import { checkFunction, throwTypeError } from "../errors.ts";
import { type FailableSpan, failSpan } from "../fail_span.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import { callback, readOptions, text } from "../read_options.ts";
import type { Message } from "./message.ts";
import type { Output } from "./output.ts";
import type { SaveContext } from "./stored.ts";

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

/** How `traceSave` makes its spans. */
export interface TraceSaveOptions<SpanContext> {
  /**
   * Names the span in which a message was sent, such as `trace.getSpanContext(propagation.extract(…))` of what it
   * carries; called once for each message of a batch, `undefined` is no link. Default: no links.
   */
  readonly contextOf?: ((message: Message) => SpanContext | undefined) | undefined;
  /** What the spans are called. Default: `"save"`. */
  readonly name?: string | undefined;
}

const action = "trace a save";

/**
 * Makes a span of OpenTelemetry of each batch that `stored` writes, with a link to the span of each message in it: a
 * batch has many causes and so no parent among them. The span is active while `save` is called, so that what a driver
 * traces is below it.
 *
 * @typeParam O The type of the outputs' values.
 * @typeParam SpanContext What names a span.
 * @param tracer A `Tracer` of `@opentelemetry/api`, or what has its `startActiveSpan`.
 * @param save What `stored` is to call.
 * @param options `contextOf`, the span that a message was sent in (default: no links); `name` (default: `"save"`).
 * @returns A `save` for `stored`, which answers and fails as the given one does.
 *
 * @throws {TypeError} If `tracer`, `save` or an option is of the wrong type, or an option is unknown.
 *
 * @example
 * ```ts
 * import { pipeline } from "@hosepipe/streams";
 * import { Consumer, messages, perMessage, stored, traceSave } from "@hosepipe/streams/queue";
 * import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
 * import type { SpanContext } from "@opentelemetry/api";
 * import {
 *   InMemorySpanExporter,
 *   SimpleSpanProcessor,
 *   TracerProvider,
 * } from "@opentelemetry/sdk-trace";
 * import { DatabaseSync } from "node:sqlite";
 * import assert from "node:assert/strict";
 *
 * interface Job {
 *   text: string;
 *   sentIn: SpanContext;
 * }
 * const exporter = new InMemorySpanExporter();
 * const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
 * const tracer = provider.getTracer("shop");
 * const sentIn = tracer.startSpan("send").spanContext();
 *
 * const queue = sqliteQueue<string>(new DatabaseSync(":memory:"), { table: "jobs" });
 * await queue.send([JSON.stringify({ text: "a", sentIn }), JSON.stringify({ text: "b", sentIn })]);
 * const consumer = new Consumer(queue);
 * await pipeline(
 *   messages(consumer),
 *   perMessage<string>(),
 *   stored(consumer, traceSave(tracer, () => consumer.stop(), {
 *     contextOf: ({ body }) => (JSON.parse(body as string) as Job).sentIn,
 *   }), { batchSize: 2 }),
 * );
 *
 * const [span] = exporter.getFinishedSpans();
 * assert.deepEqual([span!.name, span!.attributes["hosepipe.save.outputs"]], ["save", 2]);
 * assert.deepEqual(span!.links.map(({ context }) => context.spanId), [sentIn.spanId, sentIn.spanId]);
 * ```
 */
export function traceSave<O, SpanContext>(
  tracer: SaveTracer<SpanContext>,
  save: (outputs: readonly Output<O>[], context: SaveContext) => unknown,
  options: TraceSaveOptions<SpanContext> = {},
): (outputs: readonly Output<O>[], context: SaveContext) => unknown {
  if (typeof tracer !== "object" || tracer === null) {
    throwTypeError(action, "tracer", "a Tracer of OpenTelemetry", tracer);
  }
  checkFunction(action, "tracer.startActiveSpan", tracer.startActiveSpan);
  checkFunction(action, "save", save);
  const readers = { contextOf: callback(), name: text("save") };
  const { contextOf, name } = readOptions(action, options, readers);

  return (outputs, context) => {
    const all = [...new Set(outputs.map(({ message }) => message))];
    const links: SaveLink<SpanContext>[] = [];
    for (const message of all) {
      const sentIn = contextOf?.(message);
      if (sentIn !== undefined) links.push({ context: sentIn });
    }
    const attributes = {
      "hosepipe.save.outputs": outputs.length,
      "hosepipe.save.messages": all.length,
    };
    return tracer.startActiveSpan(name, { attributes, links }, (span) => {
      const fail = (reason: unknown): never => {
        failSpan(span, reason);
        span.end();
        throw reason;
      };
      let result: unknown;
      try {
        result = save(outputs, context);
      } catch (reason) {
        fail(reason);
      }
      if (!isPromiseLike(result)) {
        span.end();
        return result;
      }
      return Promise.resolve(result).then((value) => {
        span.end();
        return value;
      }, fail);
    });
  };
}
