import { type Duplex, finished, type Readable, type Writable } from "node:stream";
import { checkOptions, throwTypeError } from "../src/errors.ts";
import { wasStopped } from "./early_end.ts";
import type { ReaderSource } from "../src/stages/reader.ts";
import { reader } from "./reader.ts";
import { toError, toReason } from "./stage_error.ts";
import { transformer } from "./transformer.ts";
import { writer } from "./writer.ts";
import type { Transformer } from "../src/web_types.ts";

/** Options of {@linkcode pipeline}. */
export interface PipelineOptions {
  /** Destroys every stream with its reason once it aborts. */
  signal?: AbortSignal;
}

/** A stage or the sink of a {@linkcode pipeline}. */
export type PipelinePart =
  | Duplex
  | Writable
  // deno-lint-ignore no-explicit-any -- of any chunk types
  | Transformer<any, any>
  // deno-lint-ignore no-explicit-any -- of any chunk types
  | ((chunk: any) => unknown);

type AnyStream = Readable | Writable | Duplex;

const action = "create pipeline";

function isStream(value: unknown): value is AnyStream {
  return typeof (value as { pipe?: unknown } | null)?.pipe === "function";
}

function isOptions(value: unknown): value is PipelineOptions {
  return value !== null && typeof value === "object" && !isStream(value);
}

function toStreams(parts: readonly unknown[]): AnyStream[] {
  if (parts.length < 2) throwTypeError(action, "the parts", "a source and a sink at least", parts);
  return parts.map((part, index) => {
    if (isStream(part)) return part;
    if (index === 0) return reader(part as ReaderSource<unknown>);
    if (index < parts.length - 1) return transformer(part as Transformer);
    if (typeof part === "function") return writer(part as (chunk: unknown) => unknown);
    return throwTypeError(action, "sink", "a node Writable or a function", part);
  });
}

/**
 * Connects node streams with `pipe`, in the order of events that has, and settles once all of them are closed.
 * It fails with the very value that a stage threw, `undefined` included, after it has destroyed every stream with it.
 * A stage that ends early by `terminate` is a success. A source that is no stream is read by {@linkcode reader},
 * a dictionary runs in a {@linkcode transformer}, and a function is the `write` of a {@linkcode writer}.
 *
 * @throws {TypeError} If a part is none of these, or an option is unknown.
 *
 * @example
 * ```ts
 * import { pipeline, reader, transformer, writer } from "@hosepipe/streams/node";
 * import { assertEquals } from "@std/assert";
 *
 * const written: string[] = [];
 * await pipeline(
 *   reader(["a", "b"], { highWaterMark: 2 }),
 *   transformer<string, string>({ transform: (chunk, controller) => controller.enqueue(chunk + "!") }),
 *   writer((chunk: string) => void written.push(chunk), { concurrency: 2 }),
 * );
 * assertEquals(written, ["a!", "b!"]);
 * ```
 */
export function pipeline(
  source: Readable | ReaderSource<unknown>,
  ...stagesThenSinkThenOptions: (PipelinePart | PipelineOptions)[]
): Promise<void> {
  const parts: unknown[] = [source, ...stagesThenSinkThenOptions];
  const last = parts.at(-1);
  const options = parts.length > 2 && isOptions(last) ? parts.pop() as PipelineOptions : {};
  checkOptions(action, options, ["signal"]);
  const streams = toStreams(parts);
  const { signal } = options;

  return new Promise((resolve, reject) => {
    let failure: { reason: unknown } | undefined;
    let open = streams.length;
    const cleanups: (() => void)[] = [];

    const fail = (reason: unknown): void => {
      if (failure !== undefined) return;
      failure = { reason };
      const error = toError(reason);
      for (const stream of streams) stream.destroy(error);
    };
    const onAbort = (): void => fail(signal!.reason);

    streams.forEach((stream, index) => {
      const side = { readable: index < streams.length - 1, writable: index > 0 };
      cleanups.push(finished(stream, side, (error) => {
        if (error != null && !wasStopped(stream)) fail(toReason(error));
        if (--open > 0) return;
        signal?.removeEventListener("abort", onAbort);
        // A stream that was over when `fail` destroyed it emits its error only after this: listen until then.
        setImmediate(() => cleanups.forEach((cleanup) => cleanup()));
        if (failure === undefined) resolve();
        else reject(failure.reason);
      }));
    });
    for (let index = 1; index < streams.length; index++) {
      (streams[index - 1] as Readable).pipe(streams[index] as Writable);
    }
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
  });
}
