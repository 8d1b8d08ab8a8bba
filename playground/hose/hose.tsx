import { describeHose } from "../words/describe_hose.ts";
import { formatCount } from "../words/format.ts";
import { Buffer } from "./buffer.tsx";
import { type HoseView, isShut } from "./hose_view.ts";
import { Stage } from "./stage.tsx";

/** How far the stages are with their calls, from 0 to 1; `undefined` where there is no call. */
export interface Progress {
  readonly reader?: number;
  readonly transformer?: number;
  readonly writer?: number;
}

/** How a pipeline is drawn. */
export interface HoseOptions {
  readonly view: HoseView;
  /** Of the present only: a recording does not say how far a call was. */
  readonly progress?: Progress;
  readonly isNumbered?: boolean;
  /** Whether there is a transformer; default: if one has a mark. */
  readonly hasTransformer?: boolean;
  /** Whether the source has no more. */
  readonly hasEnded?: boolean;
  /** How many slots of a buffer there is room for. */
  readonly slots?: number;
}

function ReaderStage({ view, progress, isNumbered, hasEnded }: HoseOptions) {
  const isPaused = isShut(view.buffers[0]!);
  const isReading = progress?.reader !== undefined;
  return (
    <Stage
      name="reader"
      about="source"
      state={isReading ? "busy" : isPaused && !hasEnded ? "paused" : "idle"}
      doing={hasEnded
        ? "has no more"
        : isReading
        ? `reads ${isNumbered ? view.read + 1 : ""}`
        : isPaused
        ? "paused"
        : progress === undefined
        ? "may read"
        : "waits"}
      progress={progress?.reader}
    />
  );
}

function WriterStage({ view, progress, isNumbered }: HoseOptions) {
  const { writing, written } = view;
  return (
    <Stage
      name="writer"
      about="sink"
      state={writing > 0 ? "busy" : "idle"}
      doing={writing === 0
        ? "waits"
        : writing > 1
        ? `${writing} writes`
        : isNumbered
        ? `writes ${written + 1}`
        : "writes"}
      progress={progress?.writer}
    />
  );
}

/** The whole pipeline: its stages, and between them its buffers. */
export function Hose(options: HoseOptions) {
  const { view, isNumbered = true, progress, slots } = options;
  const { buffers, read, transforming, transformed, written, inside } = view;
  const shown = buffers.filter(({ mark, waiting, inHand }) =>
    mark !== undefined || waiting + inHand > 0
  );
  const draw = (from: string) =>
    shown.filter(({ kind }) => kind.startsWith(from)).map((buffer) => (
      <Buffer key={buffer.kind} {...{ buffer, isNumbered, slots }} />
    ));
  const hasTransformer = options.hasTransformer ??
    shown.some(({ kind }) => kind.startsWith("transformer"));
  return (
    <div class="frame">
      <div
        class={`hose${hasTransformer ? "" : " short"}`}
        role="img"
        aria-label={describeHose(view)}
      >
        <ReaderStage {...options} isNumbered={isNumbered} />
        {draw("reader")}
        {hasTransformer && draw("transformerIn")}
        {hasTransformer && (
          <Stage
            name="transformer"
            about="transform()"
            state={transforming > 0 ? "busy" : "idle"}
            doing={transforming > 0
              ? isNumbered ? `works on ${transformed + 1}` : "works"
              : isShut(buffers[2]!)
              ? "waits for room"
              : "waits"}
            progress={progress?.transformer}
          />
        )}
        {hasTransformer && draw("transformerOut")}
        {draw("writer")}
        <WriterStage {...options} isNumbered={isNumbered} />
      </div>
      <dl class="counters">
        <div>
          <dt>read</dt>
          <dd data-count="read">{formatCount(read)}</dd>
        </div>
        {hasTransformer && (
          <div>
            <dt>transformed</dt>
            <dd data-count="transformed">{formatCount(transformed)}</dd>
          </div>
        )}
        <div>
          <dt>written</dt>
          <dd data-count="written">{formatCount(written)}</dd>
        </div>
        <div>
          <dt>inside</dt>
          <dd data-count="inside">{formatCount(inside)}</dd>
        </div>
      </dl>
    </div>
  );
}
