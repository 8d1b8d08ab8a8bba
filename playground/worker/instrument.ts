import * as hosepipe from "@hosepipe/streams";
import type { Probe } from "@hosepipe/streams";

type Any = (...args: unknown[]) => unknown;

/** What the reader's code is given in place of the library and of the streams it knows. */
export interface Instrumented {
  /** Whether the pipeline has buffers: one run by `pipeline` has none. */
  hasBuffers(): boolean;
  readonly hosepipe: Readonly<Record<string, unknown>>;
  readonly streams: readonly [
    ReadableStream: unknown,
    TransformStream: unknown,
    WritableStream: unknown,
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A plain transformer, and neither a pair of streams nor options. */
function isTransformer(value: unknown): boolean {
  return isObject(value) && !("readable" in value) && !("signal" in value) &&
    !("getWriter" in value) && !("write" in value);
}

/**
 * Puts a probe into all that makes a pipeline. One pipeline is looked at: the first source and the first sink there
 * are; what comes after them is left as it is.
 */
export function instrument(look: Probe): Instrumented {
  let hasBuffers = true;
  const attempt = <T>(value: T, wrap: () => unknown): T => {
    try {
      return wrap() as T;
    } catch {
      // A second source or sink, or what is none: the library says what is wrong with it.
      return value;
    }
  };
  const reader = <T>(source: T, strategy?: QueuingStrategy): T =>
    attempt(source, () => look.reader(source as never, strategy === undefined ? {} : { strategy }));
  const sink = <T>(sink: T, strategy?: QueuingStrategy): T =>
    attempt(sink, () => look.writer(sink as never, strategy === undefined ? {} : { strategy }));
  const stage = <T>(value: T): T =>
    isTransformer(value) ? attempt(value, () => look.transformer(value as never)) : value;
  /** Wraps the source and the stages of a call such as `toArray(source, map(f))`. */
  const gather = (call: Any): Any => (source, ...rest) => {
    hasBuffers = false;
    return call(reader(source), ...rest.map(stage));
  };

  const probed: Record<string, Any> = {
    pipeline(source, ...rest) {
      hasBuffers = false;
      const last = rest.at(-1);
      const hasOptions = isObject(last) && !("write" in last) && !("getWriter" in last) &&
        rest.length > 1;
      const options = hasOptions ? [rest.pop()] : [];
      const end = rest.pop();
      const stages = rest.map(stage);
      const call = hosepipe.pipeline as Any;
      return call(reader(source), ...stages, sink(end), ...options);
    },
    fuse: (...stages) => (hosepipe.fuse as Any)(...stages.map(stage)),
    reader: (source, ...rest) => (hosepipe.reader as Any)(reader(source), ...rest),
    writer: (write, options) => {
      const { highWaterMark } = (options ?? {}) as { highWaterMark?: number };
      const strategy = highWaterMark === undefined ? undefined : { highWaterMark };
      return (hosepipe.writer as Any)(sink(write, strategy), options);
    },
  };
  for (const name of ["first", "last", "toArray", "toBytes", "toJson", "toText"] as const) {
    probed[name] = gather(hosepipe[name] as Any);
  }

  // Its constructor has a type for each kind of source; what is wrapped is of the same kind.
  const AnyReadableStream = ReadableStream as unknown as {
    new (source: unknown, strategy: QueuingStrategy): ReadableStream;
  };
  class ProbedReadableStream extends AnyReadableStream {
    constructor(source: UnderlyingSource = {}, strategy: QueuingStrategy = {}) {
      super(reader(source, strategy), strategy);
    }
  }
  class ProbedTransformStream extends TransformStream {
    constructor(
      transformer: Transformer = {},
      writableStrategy: QueuingStrategy = {},
      readableStrategy: QueuingStrategy = {},
    ) {
      const wrap = () => look.transformer(transformer, { writableStrategy, readableStrategy });
      super(attempt(transformer, wrap), writableStrategy, readableStrategy);
    }
  }
  class ProbedWritableStream extends WritableStream {
    constructor(underlying: UnderlyingSink = {}, strategy: QueuingStrategy = {}) {
      super(sink(underlying, strategy), strategy);
    }
  }
  return {
    hasBuffers: () => hasBuffers,
    hosepipe: { ...hosepipe, ...probed },
    streams: [ProbedReadableStream, ProbedTransformStream, ProbedWritableStream],
  };
}
