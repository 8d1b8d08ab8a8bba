import { fuse, pipeline } from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import type { Stage } from "./operator.ts";
import { isProbing, lookOf, runProbed } from "./probing.ts";

/** How the stages of a chain stand between source and sink. */
export interface WayOptions {
  /** Of every queue between them; one that is written to has 1 at least. Default: as the standard has it. */
  readonly mark?: number;
  readonly signal?: AbortSignal;
}

/** One of the three ways in which stages run. */
export interface Way {
  readonly name: "native" | "fuse" | "pipeline";
  /** Sums the high-water marks from the source's queue to the sink's, if both have `mark` too. */
  readonly sumOfMarks: (stageCount: number, mark?: number) => number;
  /** Runs a whole job; resolves once it is done. */
  readonly run: (
    source: ReadableStream<unknown>,
    stages: Stage[],
    sink: WritableStream<unknown>,
    options?: WayOptions,
  ) => Promise<unknown>;
}

/** A way whose stages stand between native streams. */
export interface ConnectingWay extends Way {
  readonly connect: (
    source: ReadableStream<unknown>,
    stages: Stage[],
    mark?: number,
  ) => ReadableStream<unknown>;
}

/** A queue that a pipe writes to never has room if its mark is 0. */
export function writableMark(mark: number): number {
  return Math.max(1, mark);
}

function strategies(mark: number) {
  return {
    writableStrategy: { highWaterMark: writableMark(mark) },
    readableStrategy: { highWaterMark: mark },
  };
}

function connecting(
  name: Way["name"],
  sumOfMarks: (stageCount: number, mark: number) => number,
  connect: ConnectingWay["connect"],
): ConnectingWay {
  return {
    name,
    sumOfMarks: (stageCount, mark = 0) => mark + sumOfMarks(stageCount, mark) + writableMark(mark),
    connect,
    run: (source, stages, sink, { mark, signal } = {}) =>
      connect(source, stages, mark).pipeTo(sink, { signal }),
  };
}

/** Every stage is a pair of native streams. */
export const native: ConnectingWay = connecting(
  "native",
  (stageCount, mark) => stageCount * (writableMark(mark) + mark),
  (source, stages, mark = 0) => {
    const { writableStrategy, readableStrategy } = strategies(mark);
    return stages.reduce(
      (readable, stage) =>
        readable.pipeThrough(new TransformStream(stage, writableStrategy, readableStrategy)),
      source,
    );
  },
);

/** All stages are one pair of native streams; each after the first may hold what one chunk has become. */
export const fused: ConnectingWay = connecting(
  "fuse",
  (stageCount, mark) => writableMark(mark) + mark + stageCount - 1,
  (source, stages, mark) =>
    source.pipeThrough(
      mark === undefined
        ? fuse(...stages as [Stage])
        : fuse(...stages as [Stage], strategies(mark)),
    ),
);

/** Nothing native stands between source and sink. */
export const piped: Way = {
  name: "pipeline",
  sumOfMarks: (_, mark = 0) => mark + writableMark(mark),
  run: (source, stages, sink, { signal } = {}) =>
    pipeline(source, ...stages as [Stage], sink, signal ? { signal } : {}),
};

/** The way with every part probed that it is given. */
function probed(way: Way): Way {
  return {
    ...way,
    run(source, stages, sink, options) {
      const look = lookOf(source);
      const isPiped = way === piped;
      // Only `pipeline` takes a stream that is looked at from outside.
      const from = isPiped ? probe().reader(source) as unknown as ReadableStream<unknown> : source;
      return runProbed(
        look,
        sink,
        way !== native,
        () => way.run(from, stages.map((stage) => look.transformer(stage)), sink, options),
      );
    },
  };
}

function connectingProbed(way: ConnectingWay): ConnectingWay {
  return {
    ...probed(way) as ConnectingWay,
    connect: (source, stages, mark) => {
      const look = lookOf(source);
      return way.connect(source, stages.map((stage) => look.transformer(stage)), mark);
    },
  };
}

export const connectingWays: readonly ConnectingWay[] = [native, fused]
  .map((way) => isProbing ? connectingProbed(way) : way);

export const ways: readonly Way[] = [...connectingWays, isProbing ? probed(piped) : piped];
