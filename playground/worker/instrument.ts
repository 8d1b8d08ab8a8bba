import * as hosepipe from "@hosepipe/streams";
import type { Probe } from "@hosepipe/streams";
import { nameOfPart } from "../../src/kernels/name_of_part.ts";
import type { SeenStage } from "../hose/stage_counts.ts";

type Any = (...args: unknown[]) => unknown;

/** What the reader's code is given in place of the library and of the streams it knows. */
export interface Instrumented {
  /** Whether the pipeline has buffers: one run by `pipeline` has none. */
  hasBuffers(): boolean;
  /** What kind each stage is, by its name. */
  readonly kinds: ReadonlyMap<string, SeenStage["kind"]>;
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
  const kinds = new Map<string, SeenStage["kind"]>();
  /** A name that no other stage has. */
  const nameOf = (kind: SeenStage["kind"], part: unknown): string => {
    const plain = nameOfPart(part, kind);
    let name = plain;
    for (let count = 2; kinds.has(name); count++) name = `${plain} ${count}`;
    return name;
  };
  /** Wraps a stage by `wrap`, with its name; what cannot be wrapped has none. */
  const put = (kind: SeenStage["kind"], part: unknown, options: object, wrap: Any): unknown => {
    const name = nameOf(kind, part);
    const wrapped = wrap(part, { ...options, name });
    kinds.set(name, kind);
    return wrapped;
  };
  const attempt = <T>(value: T, wrap: () => unknown): T => {
    try {
      return wrap() as T;
    } catch {
      // A second source or sink, or what is none: the library says what is wrong with it.
      return value;
    }
  };
  const reader = <T>(source: T, strategy?: QueuingStrategy): T =>
    attempt(source, () => put("reader", source, { strategy }, look.reader as Any));
  const sink = <T>(sink: T, strategy?: QueuingStrategy): T =>
    attempt(sink, () => put("writer", sink, { strategy }, look.writer as Any));
  const stage = <T>(value: T): T =>
    isTransformer(value)
      ? attempt(value, () => put("transformer", value, {}, look.transformer as Any))
      : value;
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
  // A browser may not have it yet.
  if (!("from" in AnyReadableStream)) {
    const from = (source: unknown) => (probed.reader ?? hosepipe.reader as Any)(source);
    Object.defineProperty(ProbedReadableStream, "from", { value: from });
  }
  class ProbedTransformStream extends TransformStream {
    constructor(
      transformer: Transformer = {},
      writableStrategy: QueuingStrategy = {},
      readableStrategy: QueuingStrategy = {},
    ) {
      const strategies = { writableStrategy, readableStrategy };
      const wrap = () => put("transformer", transformer, strategies, look.transformer as Any);
      super(attempt(transformer, wrap as () => Transformer), writableStrategy, readableStrategy);
    }
  }
  class ProbedWritableStream extends WritableStream {
    constructor(underlying: UnderlyingSink = {}, strategy: QueuingStrategy = {}) {
      super(sink(underlying, strategy), strategy);
    }
  }
  return {
    hasBuffers: () => hasBuffers,
    kinds,
    hosepipe: { ...hosepipe, ...probed },
    streams: [ProbedReadableStream, ProbedTransformStream, ProbedWritableStream],
  };
}
