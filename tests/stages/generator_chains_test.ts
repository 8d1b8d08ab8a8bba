import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { compose, fuse, pipeline, stage } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { draws, firstSeedOf } from "../lib/thorough.ts";

const count = draws(200);

/** What a stage of a random program does. */
interface Plan {
  readonly head: boolean;
  readonly foot: boolean;
  readonly copies: readonly number[];
  readonly returnsAt: number;
  readonly throwsAt: number;
  readonly delays: readonly number[];
}

interface Program {
  readonly length: number;
  readonly failsAt: number;
  readonly endsAt: number;
  readonly sourceDelays: readonly number[];
  readonly stages: readonly Plan[];
}

/** What happened in a run; `open` counts generators that have begun and not ended. */
interface Outcome {
  readonly chunks: string[];
  failure: unknown;
  open: number;
  ends: string[];
}

function randomFrom(seed: number): (limit: number) => number {
  return (limit) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor(seed / 65536) % limit;
  };
}

function makeProgram(seed: number): Program {
  const random = randomFrom(seed);
  const sometimes = () => random(4) === 0 ? random(8) : -1;
  const delays = () => Array.from({ length: 5 }, () => random(3) === 0 ? random(5) : 0);
  return {
    length: random(8),
    failsAt: sometimes(),
    endsAt: sometimes(),
    sourceDelays: delays(),
    stages: Array.from({ length: 1 + random(3) }, () => ({
      head: random(4) === 0,
      foot: random(4) === 0,
      copies: Array.from({ length: 4 }, () => random(5) === 0 ? random(4) : 1),
      returnsAt: sometimes(),
      throwsAt: sometimes(),
      delays: delays(),
    })),
  };
}

async function pause(microtasks: number | undefined): Promise<void> {
  while (microtasks !== undefined && microtasks-- > 0) await undefined;
}

async function* read(program: Program, outcome: Outcome): AsyncGenerator<string> {
  outcome.open++;
  try {
    for (let n = 0; n < program.length; n++) {
      await pause(program.sourceDelays[n % 5]);
      if (n === program.failsAt) throw `source ${n}`;
      yield `${n}`;
    }
  } finally {
    outcome.open--;
  }
}

function generatorOf(plan: Plan, name: string, outcome: Outcome) {
  return async function* (source: AsyncIterable<string>): AsyncGenerator<string> {
    outcome.open++;
    let index = 0;
    try {
      if (plan.head) yield `${name}head`;
      for await (const chunk of source) {
        await pause(plan.delays[index % 5]);
        if (index === plan.throwsAt) throw `${name}throws`;
        const copies = plan.copies[index % 4]!;
        for (let copy = 0; copy < copies; copy++) yield `${chunk}${name}${copy}`;
        if (index++ === plan.returnsAt) return;
      }
      if (plan.foot) yield `${name}foot`;
    } finally {
      await pause(plan.delays[0]);
      outcome.open--;
      outcome.ends.push(name);
    }
  };
}

type Generator = ReturnType<typeof generatorOf>;
type Run = (
  source: AsyncGenerator<string>,
  stages: Generator[],
  take: (chunk: string) => void,
) => Promise<unknown>;

async function readAll(chunks: AsyncIterable<string>, take: (chunk: string) => void) {
  for await (const chunk of chunks) take(chunk);
}

const byHand: Run = (source, stages, take) =>
  readAll(stages.reduce((chunks, make) => make(chunks), source), take);

function streamOf(source: AsyncGenerator<string>): ReadableStream<string> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void await source.return(undefined),
  }, { highWaterMark: 0 });
}

const runs: Readonly<Record<string, Run>> = {
  pipeline: (source, stages, take) => pipeline(source, ...stages as [Generator], take),
  "pipeline, composed and marked": (source, stages, take) =>
    pipeline(streamOf(source), compose(stages.map((make) => stage(make))), take),
  fuse: (source, stages, take) =>
    readAll(streamOf(source).pipeThrough(fuse(...stages as [Generator])), take),
};

async function outcomeOf(run: Run, program: Program): Promise<Outcome> {
  const outcome: Outcome = { chunks: [], failure: "none", open: 0, ends: [] };
  const stages = program.stages.map((plan, index) => generatorOf(plan, "abc"[index]!, outcome));
  outcome.failure = await errorOf(run(read(program, outcome), stages, (chunk) => {
    if (outcome.chunks.length === program.endsAt) throw "sink";
    outcome.chunks.push(chunk);
  }));
  // What was cancelled behind a failure may still be ending.
  for (let n = 0; n < 20 && outcome.open > 0; n++) {
    await new Promise((resolve) => setTimeout(resolve));
  }
  return outcome;
}

/** Where in the chain a failure came from; after its end if there was none. */
function placeOf(failure: unknown): number {
  if (failure === "none") return 5;
  const [text] = failure as [string];
  return ["source", "a", "b", "c", "sink"].findIndex((name) => text.startsWith(name));
}

/**
 * By hand one part runs at a time; here an earlier one may run ahead, and then fail first. A pipe into `fuse` reads its
 * source before anything is wanted, so that its failure may also come before what generators would have made by then.
 */
function isAhead(ours: Outcome, hand: Outcome, isPiped: boolean): boolean {
  const place = placeOf(ours.failure);
  return ours.failure !== "none" &&
    (place < placeOf(hand.failure) || (isPiped && place === 0)) &&
    ours.chunks.length <= hand.chunks.length &&
    ours.chunks.every((chunk, index) => chunk === hand.chunks[index]);
}

for (const [name, run] of Object.entries(runs)) {
  test(`${name}: random generators give what they give by hand, fail as they do, and all end`, async () => {
    let aheadCount = 0;
    const first = firstSeedOf(count);
    for (let seed = first; seed < first + count; seed++) {
      const program = makeProgram(seed);
      const hand = await outcomeOf(byHand, program);
      const ours = await outcomeOf(run, program);
      const where = `seed ${seed}: ${JSON.stringify(program)}`;
      assertEquals(ours.open, 0, where);
      if (isAhead(ours, hand, name === "fuse")) {
        if (ours.chunks.length < hand.chunks.length) aheadCount++;
      } else assertEquals([ours.chunks, ours.failure], [hand.chunks, hand.failure], where);
    }
    assert(aheadCount <= count / 20, `${aheadCount} of ${count} were ahead`);
  });
}
