import type { ChainDescription } from "./_chain_description.ts";
import { labelOf } from "./_recorder.ts";
import type { ChainModel } from "./_model.ts";
import { type Need, needBefore } from "./_needs.ts";
import type { Outcome } from "./_outcome.ts";

/** Which of a chain's runs is looked at. */
export type Way = "native" | "fuse" | "pipeline";

/** Whether nothing in a chain, its consumer included, ever waits. */
export function isSynchronous({ stages, consumer }: ChainDescription): boolean {
  return consumer.delay === 0 && !consumer.isStream &&
    stages.every((stage) =>
      stage.timing === "sync" && stage.operator !== "parallel" &&
      !(stage.operator === "flatMap" && stage.shape === 3) &&
      [stage.start, stage.flush, stage.cancel].every(({ mode, isAsync }) =>
        mode === "none" || !isAsync
      )
    );
}

/** Says what is wrong with the logs of a run, stage by stage. */
export class LogCheck {
  readonly #way: Way;
  readonly #chain: ChainDescription;
  readonly #model: ChainModel;
  readonly #outcome: Outcome;
  /** Every reason that anything in the chain can fail or be cancelled for. */
  readonly reasons: ReadonlySet<string>;

  constructor(way: Way, chain: ChainDescription, model: ChainModel, outcome: Outcome) {
    this.#way = way;
    this.#chain = chain;
    this.#model = model;
    this.#outcome = outcome;
    this.reasons = new Set([
      "TypeError",
      labelOf("source", chain.source.kind),
      labelOf("consumer", chain.consumer.kind),
      ...model.stages.flatMap(({ end }) => end.failed ? [end.label] : []),
      ...chain.stages.flatMap(({ cancel }, index) =>
        cancel.mode === "throw" ? [labelOf(`cancel ${index}`, cancel.kind)] : []
      ),
    ]);
  }

  /** What must hold however far a run went. */
  *ofAnyRun(index: number): Generator<string> {
    const log = this.#log(index);
    const { start } = this.#chain.stages[index]!;
    const transforms = log.filter(isTransform);
    const expected = this.#model.stages[index]!.log.filter(isTransform);
    if (!this.#isLoose(index) && !isPrefix(transforms, expected)) {
      yield `transforms are not a prefix of ${expected}`;
    }
    if (start.mode !== "none" && log[0] !== "start") yield "does not begin with start";
    if (log.filter((effect) => effect === "start").length > 1) yield "starts twice";
    const ends = log.filter(isEnd);
    if (ends.length > 1) yield "is flushed or cancelled twice";
    if (ends.length === 1 && log.slice(log.indexOf(ends[0]!)).some(isTransform)) {
      yield "goes on after its end";
    }
    const started = start.isAsync && start.mode !== "none"
      ? log.indexOf("started")
      : log.indexOf("start");
    const first = log.findIndex((effect) => isTransform(effect) || effect === "flush");
    if (first !== -1 && started === -1 && start.mode !== "none") {
      yield "runs though it never started";
    }
    if (first !== -1 && first < started) yield "runs before it has started";
    if (log.includes("flush") && !this.#model.stages[index]!.log.includes("flush")) {
      if (!this.#isLoose(index)) yield "is flushed, though its input never ended";
    }
    if (
      log.includes("flush") && !this.#isLoose(index) && transforms.length !== expected.length
    ) yield "is flushed before its input has ended";
  }

  /** What must hold for a stage whose neighbours need `need` of its output, in a chain that keeps its order. */
  *ofExactRun(index: number, need: Need): Generator<string> {
    const log = this.#log(index).filter(isNoStarted);
    const stage = this.#model.stages[index]!;
    if (need === "all") {
      const expected = stage.log.filter(isNoStarted);
      if (!this.#isLoose(index) && `${log}` !== `${expected}`) yield `must be ${expected}`;
      return;
    }
    const before = needBefore(stage, need);
    const transforms = log.filter(isTransform).length;
    const isLogged = stage.log.filter(isTransform).length === stage.callCount;
    if (isLogged && transforms < (before === "all" ? stage.callCount : before)) {
      yield `made too few calls, must make ${before}`;
    }
    const { cancel, flush } = this.#chain.stages[index]!;
    if (cancel.mode === "none" || flush.mode === "none" || this.#isLoose(index)) return;
    const hasEndedItself = (stage.endedBy === "start" || stage.endedBy === "transform") &&
      (!isLogged || transforms === stage.callCount);
    if (!log.some(isEnd) && !hasEndedItself) yield "was neither flushed nor cancelled";
  }

  /** Where nothing waits, a stage runs ahead no further than the chunk of the source that ends the run. */
  *ofRunAhead(index: number, sourceNeed: Need): Generator<string> {
    if (sourceNeed === "all" || !isSynchronous(this.#chain)) return;
    const transforms = this.#log(index).filter(isTransform).length;
    const { origins } = this.#model.stages[index]!;
    const bound = origins.filter((origin) => origin <= sourceNeed).length;
    if (transforms > bound) yield `made ${transforms} calls, at most ${bound} may be`;
  }

  /** A stage is cancelled with what one of its neighbours failed with or was cancelled for. */
  *ofReasons(index: number): Generator<string> {
    const reason = cancelReason(this.#log(index));
    if (reason === undefined) return;
    const explained = [
      ...this.#passedUp(index + 1),
      ...this.#passedDown(index - 1),
      ...this.#endsAfter(index),
    ];
    if (!explained.includes(reason)) yield `is cancelled for no reason, only for ${explained}`;
  }

  *ofSource(): Generator<string> {
    const { sourceCancel, hasSourceEnded } = this.#outcome;
    if (!hasSourceEnded) yield "the source is neither read to its end nor cancelled";
    const explained = [...this.#passedUp(0), ...this.#endsAfter(-1)];
    if (sourceCancel !== undefined && !explained.includes(sourceCancel)) {
      yield `the source is cancelled for ${sourceCancel}, not for ${explained}`;
    }
  }

  /**
   * What later stages end with by themselves. It reaches the stages before them and the source in the same step, before
   * what their last chunk does further on, such as letting the consumer cancel.
   */
  #endsAfter(index: number): string[] {
    return this.#model.stages.slice(index + 1).filter(({ endedBy }) => endedBy !== "input")
      .map(({ end }) => end.failed ? end.label : "TypeError");
  }

  #passedUp(index: number): Iterable<string> {
    if (index < this.#chain.stages.length) return this.#passed(index);
    const { end } = this.#outcome;
    if (end.how !== "cancelled") return [];
    return [labelOf("consumer", this.#chain.consumer.kind)];
  }

  #passedDown(index: number): Iterable<string> {
    if (index >= 0) return this.#passed(index);
    const { source } = this.#chain;
    return source.ending === "close" ? [] : [labelOf("source", source.kind)];
  }

  /** What a stage's neighbours are told when it has ended. */
  #passed(index: number): Iterable<string> {
    const { cancel } = this.#chain.stages[index]!;
    const { end, endedBy, log: expected, callCount } = this.#model.stages[index]!;
    const log = this.#log(index);
    const reason = cancelReason(log);
    if (reason !== undefined) {
      const passed = cancel.mode === "throw" ? labelOf(`cancel ${index}`, cancel.kind) : reason;
      if (this.#way !== "native") return [passed];
      // A native stage may fail while its cancel is pending, if only since it may not enqueue any more.
      return [passed, "TypeError", ...(end.failed ? [end.label] : [])];
    }
    const transforms = log.filter(isTransform).length;
    const isKnown = cancel.mode !== "none" && !this.#isLoose(index) && transforms === callCount &&
      expected.filter(isTransform).length === callCount;
    if (isKnown && endedBy !== "input") return [end.failed ? end.label : "TypeError"];
    return this.reasons;
  }

  /** Calls that overlap may begin though one before them will fail. */
  #isLoose(index: number): boolean {
    const { operator, failure } = this.#chain.stages[index]!;
    return operator === "parallel" && failure !== undefined;
  }

  #log(index: number): readonly string[] {
    return this.#outcome.recorder.logs[index]!;
  }
}

function isTransform(effect: string): boolean {
  return effect.startsWith("transform ");
}

function isEnd(effect: string): boolean {
  return effect === "flush" || effect.startsWith("cancel ");
}

function isNoStarted(effect: string): boolean {
  return effect !== "started";
}

function cancelReason(log: readonly string[]): string | undefined {
  return log.find((effect) => effect.startsWith("cancel "))?.slice("cancel ".length);
}

/** Whether `list` is how `whole` begins. */
export function isPrefix(list: readonly string[], whole: readonly string[]): boolean {
  return list.length <= whole.length && list.every((item, index) => item === whole[index]);
}
