import type { ChainDescription } from "./_chain_description.ts";
import { isPrefix, LogCheck, type Way } from "./_check.ts";
import { type ChainModel, interpret } from "./_model.ts";
import { type Need, needsOf, readBound } from "./_needs.ts";
import type { Outcome } from "./_outcome.ts";
import { labelOf } from "./_recorder.ts";
import { sourceChunks } from "./_run_chain.ts";

/** How much of the chain's output the consumer asks for. */
function needOf(way: Way, chain: ChainDescription, model: ChainModel): Need {
  const { cancelAfter } = chain.consumer;
  if (cancelAfter === undefined) return "all";
  // A sink that throws does so when it is given one chunk more.
  const need = way === "pipeline" ? cancelAfter + 1 : cancelAfter;
  return need <= model.chunks.length ? need : "all";
}

/** What the consumer must see. */
function expectedEnd(way: Way, chain: ChainDescription, model: ChainModel): string {
  if (needOf(way, chain, model) !== "all") return "cancelled";
  return model.end.failed ? `failed ${model.end.label}` : "closed";
}

/** The chunks of the source that a run was given, before the writable side was aborted. */
function chunksGiven(way: Way, chain: ChainDescription, outcome: Outcome): string[] {
  const chunks = sourceChunks(chain);
  if (way === "pipeline" || chain.source.ending !== "abort") return chunks;
  return chunks.slice(0, outcome.recorder.logs[0]!.filter((e) => e.startsWith("transform")).length);
}

/** Whether an effect came stage after stage. */
function isInOrder({ recorder }: Outcome, effect: string): boolean {
  const stages = recorder.order.filter((entry) => entry.startsWith(`${effect} of`))
    .map((entry) => Number(entry.split(" ").at(-1)));
  return stages.every((stage, index) => index === 0 || stages[index - 1]! < stage);
}

/** Whether nothing in the chain fails or ends early. */
function isCalm(chain: ChainDescription, model: ChainModel): boolean {
  return chain.source.ending === "close" && chain.consumer.cancelAfter === undefined &&
    model.stages.every(({ endedBy }) => endedBy === "input");
}

/** Says what is wrong with one run of a chain, in sentences. */
export async function problemsOf(
  way: Way,
  chain: ChainDescription,
  outcome: Outcome,
): Promise<string[]> {
  const thrower = chain.stages.findIndex(({ start }) => start.mode === "throw" && !start.isAsync);
  const problems = thrower >= 0
    ? [...problemsOfThrow(way, chain, outcome, thrower)]
    : await problemsOfRun(way, chain, outcome);
  problems.push(...outcome.recorder.faults);
  return problems.map((problem) => `${way}: ${problem}`);
}

function* problemsOfThrow(
  way: Way,
  chain: ChainDescription,
  outcome: Outcome,
  thrower: number,
): Generator<string> {
  const { kind } = chain.stages[thrower]!.start;
  const thrown = way === "pipeline" ? outcome.end.label : outcome.thrown;
  if (thrown !== labelOf(`start ${thrower}`, kind)) yield `start threw, but got ${thrown}`;
  for (const [index, log] of outcome.recorder.logs.entries()) {
    const { start, cancel } = chain.stages[index]!;
    const isCancelled = index < thrower && cancel.mode !== "none" && way !== "native" &&
      !(hasEndedInStart(chain, index));
    const effects = log.filter((effect) => effect !== "started").map((effect) =>
      effect.split(" ")[0]
    );
    const expected = [
      ...(index <= thrower && start.mode !== "none" ? ["start"] : []),
      ...(isCancelled ? ["cancel"] : []),
    ];
    if (`${effects}` !== `${expected}`) {
      yield `stage ${index} is ${log} when start of ${thrower} throws, must be ${expected}`;
    }
  }
}

function hasEndedInStart(chain: ChainDescription, index: number): boolean {
  const { operator, size, start } = chain.stages[index]!;
  return (operator === "take" && size === 0) ||
    (!start.isAsync && (start.mode === "error" || start.mode === "terminate"));
}

async function problemsOfRun(
  way: Way,
  chain: ChainDescription,
  outcome: Outcome,
): Promise<string[]> {
  const given = chunksGiven(way, chain, outcome);
  const model = await interpret(chain, given);
  const need = needOf(way, chain, model);
  const check = new LogCheck(way, chain, model, outcome);
  const end = outcome.end.how === "failed" ? `failed ${outcome.end.label}` : outcome.end.how;
  const isExact = way !== "native" || isCalm(chain, model);
  const problems: string[] = [];
  if (outcome.thrown !== undefined) problems.push(`building threw ${outcome.thrown}`);

  if (model.isUncertain) {
    if (end === "hung") problems.push("hangs");
    return problems;
  }

  const chunks = need === "all" ? model.chunks : model.chunks.slice(0, chain.consumer.cancelAfter);
  const expected = expectedEnd(way, chain, model);
  if (isExact) {
    if (end !== expected) problems.push(`ended as ${end}, must be ${expected}`);
    if (`${outcome.chunks}` !== `${chunks}`) problems.push(`gave ${outcome.chunks}, not ${chunks}`);
    if (way === "pipeline" && end === "cancelled" && outcome.end.label !== undefined) {
      const label = labelOf("consumer", chain.consumer.kind);
      if (outcome.end.label !== label) {
        problems.push(`rejected with ${outcome.end.label}, not ${label}`);
      }
    }
  } else {
    if (!isPrefix(outcome.chunks, chunks)) {
      problems.push(`gave ${outcome.chunks}, no prefix of ${chunks}`);
    }
    const mayDiffer = outcome.end.how === "failed" && check.reasons.has(outcome.end.label!);
    if (end !== expected && !mayDiffer) problems.push(`ended as ${end}, not as ${expected}`);
  }

  if (!isInOrder(outcome, "start")) problems.push("stages start out of order");
  if (isCalm(chain, model) && !isInOrder(outcome, "flush")) {
    problems.push("stages are flushed out of order");
  }

  const needs = needsOf(model, need);
  for (const [index, log] of outcome.recorder.logs.entries()) {
    const found = [...check.ofAnyRun(index)];
    if (isExact) found.push(...check.ofExactRun(index, needs[index + 1]!));
    if (way === "pipeline") found.push(...check.ofRunAhead(index, needs[0]!));
    found.push(...check.ofReasons(index));
    problems.push(...found.map((problem) => `stage ${index} ${problem}: ${log}`));
  }
  if (way !== "native") {
    const { openIterators } = outcome.recorder;
    if (openIterators !== 0) problems.push(`${openIterators} iterators are left open`);
  }
  if (way === "pipeline" || chain.source.ending !== "abort") {
    if (way !== "native") problems.push(...check.ofSource());
    const hasSizes = chain.readableStrategy.highWaterMark !== undefined &&
        chain.readableStrategy.size !== undefined ||
      chain.writableStrategy.highWaterMark !== undefined &&
        chain.writableStrategy.size !== undefined;
    // Until the write in flight has settled, a native pipe reads on from its source into what is torn down.
    const tearDownReads = way === "fuse" && !isCalm(chain, model) ? 3 : 0;
    const bound = readBound(chain, model, need) + tearDownReads;
    if (way !== "native" && !hasSizes && outcome.reads > bound) {
      problems.push(`read ${outcome.reads} chunks, at most ${bound} may be`);
    }
  }
  return problems;
}
