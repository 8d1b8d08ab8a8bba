import type { ProbeEvent } from "@hosepipe/streams/inspect";

/** A stage that is looked at. */
export interface SeenStage {
  /** What it is called in the events. */
  readonly name: string;
  readonly kind: "reader" | "transformer" | "writer";
}

/** How far a stage is. */
export interface CountedStage extends SeenStage {
  /** Chunks that a reader has given, a transformer has begun, a writer has written. */
  readonly count: number;
  /** Whether it has said its last. */
  readonly isOver: boolean;
}

function isEnd({ event }: ProbeEvent): boolean {
  return event === "end";
}

/** What counts as a chunk of each kind of stage. */
const counted = { reader: "read", transformer: "transform", writer: "written" } as const;

/** How many chunks each stage has had, by the events up to one of them. */
export function countStages(
  stages: readonly SeenStage[],
  events: readonly ProbeEvent[],
): CountedStage[] {
  // Where the first ones are not kept, chunks are numbered; writes may end in any order.
  const isWhole = events[0]?.seq === 1;
  const last = events.at(-1);
  return stages.map((stage) => {
    const own = events.filter((event) => event.stage === stage.name);
    const chunks = own.filter(({ event }) => event === counted[stage.kind]);
    const number = Number(chunks.at(-1)?.id);
    const known = isWhole || Number.isNaN(number) ? chunks.length : number;
    return {
      ...stage,
      count: stage.kind === "writer" ? last?.occupancy.written ?? 0 : known,
      // A function says nothing at its end.
      isOver: stage.kind === "writer" && events.some(isEnd) && last!.occupancy.writing === 0 ||
        own.some(({ event }) => ["end", "final", "error", "cancel"].includes(event)),
    };
  });
}
