import type { Kept } from "../gated/kept.ts";
import { Buffer } from "../hose/buffer.tsx";
import { Hose } from "../hose/hose.tsx";
import { bufferKinds, type BufferView, hoseView, type Marks } from "../hose/hose_view.ts";
import { Stage } from "../hose/stage.tsx";
import { type CountedStage, countStages, type SeenStage } from "../hose/stage_counts.ts";
import { describeHose } from "../words/describe_hose.ts";
import { formatCount } from "../words/format.ts";
import type { SeenEvent } from "../worker/messages.ts";
import { EventLog } from "./event_log.tsx";
import { Scrubber } from "./scrubber.tsx";

/** A buffer, and whose it is. */
interface ChainBuffer extends BufferView {
  readonly stage: string;
}

/** How a pipeline of any number of stages is drawn. */
interface StageChainOptions {
  readonly stages: readonly CountedStage[];
  /** Those that have something to show. */
  readonly buffers: readonly ChainBuffer[];
}

const did = { reader: "gave", transformer: "took", writer: "wrote" } as const;
const about = { reader: "source", transformer: "stage", writer: "sink" } as const;

/** A chain in words. */
function describeChain(stages: readonly CountedStage[]): string {
  return stages.map(({ name, kind, count }) => `${name} ${did[kind]} ${formatCount(count)}`)
    .join(", ") + ".";
}

/** Each stage in a box of its own, and between them the buffers that there are. */
function StageChain({ stages, buffers }: StageChainOptions) {
  const draw = (stage: string, side: "In" | "Out") =>
    buffers.filter((buffer) => buffer.stage === stage && buffer.kind.endsWith(side)).map(
      (buffer) => (
        <Buffer
          key={buffer.kind}
          buffer={buffer}
          isNumbered={false}
          slots={8}
          name={side.toLowerCase()}
        />
      ),
    );
  return (
    <div class="frame">
      <div class="chain" role="img" aria-label={describeChain(stages)}>
        {stages.map(({ name, kind, count, isOver }) => (
          <>
            {draw(name, "In")}
            <div key={name} data-counted={name} data-of={count}>
              <Stage
                name={kind}
                title={name}
                about={about[kind]}
                state={isOver ? "idle" : "busy"}
                doing={`${did[kind]} ${formatCount(count)}`}
              />
            </div>
            {draw(name, "Out")}
          </>
        ))}
      </div>
    </div>
  );
}

/** What was recorded of a pipeline. */
export interface ReplayOptions {
  readonly kept: Kept;
  /** In the order of the pipeline. */
  readonly stages: readonly SeenStage[];
  readonly marks: Marks;
  /** Whether there are buffers between the stages. Default: true. */
  readonly hasBuffers?: boolean;
  /** What the last place of the slider is called. */
  readonly present: string;
}

const nothing = {
  ...{ readerOut: 0, transformerIn: 0, transforming: 0, transformerOut: 0 },
  ...{ writerIn: 0, writing: 0, written: 0 },
};

/** The buffers of each stage; where only their sums are known, those stand around all transformers. */
function buffersAt(
  event: SeenEvent | undefined,
  stages: readonly SeenStage[],
  marks: Marks,
): ChainBuffer[] {
  if (event?.places !== undefined) {
    return event.places.map(({ highWaterMark: mark, ...place }) => ({
      ...place,
      mark,
      desiredSize: mark === undefined ? undefined : mark - place.waiting - place.inHand,
      first: 0,
    }));
  }
  const transformers = stages.filter(({ kind }) => kind === "transformer");
  const owners = {
    readerOut: stages.find(({ kind }) => kind === "reader"),
    transformerIn: transformers[0],
    transformerOut: transformers.at(-1),
    writerIn: stages.find(({ kind }) => kind === "writer"),
  };
  const { buffers } = hoseView(event?.occupancy ?? nothing, marks);
  return bufferKinds.flatMap((kind, index) => {
    const owner = owners[kind];
    return owner === undefined ? [] : [{ ...buffers[index]!, stage: owner.name }];
  });
}

/** A recording: its picture at any of its events. */
export function Replay({ kept, stages, marks, hasBuffers = true, present }: ReplayOptions) {
  const past = kept.past.value;
  const events = kept.events();
  const event = kept.shown.value ?? events.at(-1);
  const until = past === undefined ? events : past.events.slice(0, past.index + 1);
  const hasEnded = until.some(({ event }) => event === "end");
  const counted = countStages(stages, until);
  const countOf = (kind: SeenStage["kind"]) => counted.find((stage) => stage.kind === kind)?.count;
  const [read, written] = [countOf("reader"), countOf("writer")];
  const isHose = hasBuffers && read !== undefined && written !== undefined &&
    stages.filter(({ kind }) => kind === "transformer").length < 2;
  const hasTransformer = stages.some(({ kind }) => kind === "transformer");
  const sums = hoseView(event?.occupancy ?? nothing, marks);
  const transformed = (countOf("transformer") ?? NaN) - sums.transforming;
  const view = {
    ...sums,
    read: read ?? sums.read,
    transformed: Number.isNaN(transformed) ? sums.transformed : transformed,
  };
  return (
    <>
      {isHose
        ? <Hose view={view} isNumbered={false} {...{ hasEnded, hasTransformer }} />
        : (
          <StageChain
            stages={counted}
            buffers={hasBuffers ? buffersAt(event, stages, marks) : []}
          />
        )}
      <p class="hidden" aria-live="polite">
        {past === undefined ? "" : isHose ? describeHose(view) : describeChain(counted)}
      </p>
      <Scrubber rewind={kept} kept={events.length} count={kept.count} present={present} />
      <EventLog
        events={until}
        isRead={past !== undefined}
      />
    </>
  );
}
