import { fuse, pipeline } from "@hosepipe/streams";

type Stage = Transformer<unknown, unknown>;

/** One of the three ways in which stages run. */
export interface Way {
  readonly name: "native" | "fuse" | "pipeline";
  /** Sums the high-water marks between a source of mark 0 and a sink of mark 1. */
  readonly sumOfMarks: (stageCount: number) => number;
  /** Runs a whole job; resolves once it is done. */
  readonly run: (
    source: ReadableStream<unknown>,
    stages: Stage[],
    sink: WritableStream<unknown>,
    signal?: AbortSignal,
  ) => Promise<unknown>;
}

/** A way whose stages stand between native streams. */
export interface ConnectingWay extends Way {
  readonly connect: (source: ReadableStream<unknown>, stages: Stage[]) => ReadableStream<unknown>;
}

function connecting(
  name: Way["name"],
  sumOfMarks: Way["sumOfMarks"],
  connect: ConnectingWay["connect"],
): ConnectingWay {
  return {
    name,
    sumOfMarks,
    connect,
    run: (source, stages, sink, signal) => connect(source, stages).pipeTo(sink, { signal }),
  };
}

/** Every stage is a pair of native streams. */
export const native: ConnectingWay = connecting(
  "native",
  (stageCount) => stageCount + 1,
  (source, stages) =>
    stages.reduce((readable, stage) => readable.pipeThrough(new TransformStream(stage)), source),
);

/** All stages are one pair of native streams. */
export const fused: ConnectingWay = connecting(
  "fuse",
  (stageCount) => stageCount + 1,
  (source, stages) => source.pipeThrough(fuse(...stages as [Stage])),
);

/** Nothing native stands between source and sink. */
export const piped: Way = {
  name: "pipeline",
  sumOfMarks: () => 1,
  run: (source, stages, sink, signal) =>
    pipeline(source, ...stages as [Stage], sink, signal ? { signal } : {}),
};

export const ways: readonly Way[] = [native, fused, piped];

export const connectingWays: readonly ConnectingWay[] = [native, fused];
