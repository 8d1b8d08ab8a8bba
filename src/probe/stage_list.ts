import { StageRecord } from "./stage_record.ts";
import type { ProbedKind } from "./types.ts";

const order: Record<ProbedKind, number> = { reader: 0, transformer: 1, writer: 2 };

/** The stages of one pipeline: a reader in front, a writer at the end, transformers as they were added. */
export class StageList {
  /** All that were ever added, by their numbers. */
  readonly numbered: StageRecord[] = [];
  /** Those that are there, from source to sink. */
  inOrder: StageRecord[] = [];

  /** Adds a stage; throws if there is one already where only one can be. */
  add(kind: ProbedKind, name: string | undefined): StageRecord {
    const { numbered } = this;
    const alike = numbered.filter((stage) => stage.kind === kind).length;
    if (alike > 0 && kind !== "transformer") {
      throw new TypeError(`Cannot probe ${kind}: the probe already has one, use a probe for each`);
    }
    const title = name ?? (alike > 0 ? `${kind} ${alike + 1}` : kind);
    const stage = new StageRecord(title, kind, numbered.length);
    numbered.push(stage);
    this.#set([...this.inOrder, stage]);
    return stage;
  }

  /** The stage is not there, unless it is included later. */
  leaveOut(stage: StageRecord): void {
    this.#set(this.inOrder.filter((other) => other !== stage));
    stage.previous = stage.next = undefined;
  }

  /** The stage is there, if it was left out. */
  include(stage: StageRecord): void {
    if (!this.inOrder.includes(stage)) this.#set([...this.inOrder, stage]);
  }

  /** Whether nothing more will happen in them. */
  get isOver(): boolean {
    const last = this.inOrder.at(-1);
    if (last === undefined || last.isOver) return last !== undefined;
    const before = last.previous;
    return last.isWriteOnly && before !== undefined && before.isOver && last.inFlight === 0 &&
      (before.hasFailed || last.begun >= before.given);
  }

  #set(stages: StageRecord[]): void {
    const rank = ({ kind, number }: StageRecord) => order[kind] * this.numbered.length + number;
    this.inOrder = stages.sort((one, other) => rank(one) - rank(other));
    this.inOrder.forEach((stage, index) => {
      stage.previous = this.inOrder[index - 1];
      stage.next = this.inOrder[index + 1];
    });
  }
}
