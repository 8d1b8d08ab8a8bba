import { formatCount } from "../words/format.ts";
import { Buffer } from "./buffer.tsx";
import type { BufferView } from "./hose_view.ts";
import { Stage } from "./stage.tsx";
import type { CountedStage } from "./stage_counts.ts";

/** A buffer, and whose it is. */
export interface ChainBuffer extends BufferView {
  readonly stage: string;
}

/** How a pipeline of any number of stages is drawn. */
export interface StageChainOptions {
  readonly stages: readonly CountedStage[];
  /** Those that have something to show. */
  readonly buffers: readonly ChainBuffer[];
}

const did = { reader: "gave", transformer: "took", writer: "wrote" } as const;
const about = { reader: "source", transformer: "stage", writer: "sink" } as const;

/** A chain in words. */
export function describeChain(stages: readonly CountedStage[]): string {
  return stages.map(({ name, kind, count }) => `${name} ${did[kind]} ${formatCount(count)}`)
    .join(", ") + ".";
}

/** Each stage in a box of its own, and between them the buffers that there are. */
export function StageChain({ stages, buffers }: StageChainOptions) {
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
