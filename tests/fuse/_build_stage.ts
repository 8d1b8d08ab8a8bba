import type { Stage } from "../lib/operator.ts";
import { randomOperators } from "./_random_operators.ts";
import type { HookDescription, StageDescription } from "./_chain_description.ts";
import { rawStage } from "./_raw_stage.ts";
import { jitter, type Recorder, text } from "./_recorder.ts";

type Controller = TransformStreamDefaultController<unknown>;

/** Makes the transformer that a description tells of, which writes down what happens to it. */
export function buildStage(
  description: StageDescription,
  index: number,
  recorder: Recorder,
): Stage {
  const { start, flush, cancel } = description;
  const stage: Stage = { ...operatorOf(description, index, recorder) };
  const { start: ownStart, flush: ownFlush, cancel: ownCancel } = stage;
  if (start.mode !== "none") {
    stage.start = (controller) => {
      recorder.log(index, "start");
      ownStart?.call(stage, controller);
      return runHook(start, `start ${index}`, recorder, controller, index, "started");
    };
  }
  if (flush.mode !== "none") {
    stage.flush = (controller) => {
      recorder.log(index, "flush");
      const own = ownFlush?.call(stage, controller) as unknown;
      const rest = () => runHook(flush, `flush ${index}`, recorder, controller);
      return own === undefined ? rest() : Promise.resolve(own).then(rest);
    };
  }
  if (cancel.mode !== "none") {
    stage.cancel = (reason) => {
      recorder.log(index, `cancel ${recorder.label(reason)}`);
      const own = ownCancel?.call(stage, reason) as unknown;
      const rest = () => runHook(cancel, `cancel ${index}`, recorder);
      return own === undefined ? rest() : Promise.resolve(own).then(rest);
    };
  }
  return stage;
}

function runHook(
  { mode, isAsync, delay, kind }: HookDescription,
  label: string,
  recorder: Recorder,
  controller?: Controller,
  index?: number,
  end?: string,
): void | Promise<void> {
  const act = () => {
    recorder.touch();
    if (mode === "enqueue") controller!.enqueue(`${label}!`);
    else if (mode === "terminate") controller!.terminate();
    else if (mode === "error") controller!.error(recorder.reason(label, kind));
    else if (mode === "throw") throw recorder.reason(label, kind);
  };
  if (!isAsync) return act();
  return jitter(delay).then(act).then(() => {
    if (end !== undefined) recorder.log(index!, end);
  });
}

/** What the calls of a stage's function have in common: their log, their failure, their promises. */
function caller(description: StageDescription, index: number, recorder: Recorder) {
  const { timing, delay, failure } = description;
  const mayOverlap = description.operator === "parallel";
  let calls = 0;
  let isRunning = false;
  return <O>(chunk: unknown, body: (call: number, fail: () => void) => O): O | Promise<O> => {
    const call = calls++;
    recorder.log(index, `transform ${text(chunk)}`);
    if (isRunning && !mayOverlap) recorder.faults.push(`stage ${index} runs twice at once`);
    const fail = () => {
      if (failure?.at === call) throw recorder.reason(`transform ${index}`, failure.kind);
    };
    if (timing === "sync" || (timing === "mixed" && call % 2 === 0)) return body(call, fail);
    isRunning = true;
    return jitter(delay).then(() => {
      recorder.touch();
      isRunning = false;
      return body(call, fail);
    });
  };
}

function operatorOf(description: StageDescription, index: number, recorder: Recorder): Stage {
  const { operator, size } = description;
  if (operator === "raw") return rawStage(description, index, recorder);
  const { makeRandom, makeSized } = randomOperators.get(operator)!;
  if (makeRandom === undefined) return logged(makeSized!(size), description, index, recorder);
  return makeRandom({
    size,
    call: caller(description, index, recorder),
    iterate: (chunk, fail) => iterate(chunk, description, recorder, fail),
    text,
  });
}

function logged(
  stage: Stage,
  { isLogged }: StageDescription,
  index: number,
  recorder: Recorder,
): Stage {
  const { transform } = stage;
  if (!isLogged || transform === undefined) return stage;
  return {
    ...stage,
    transform(chunk, controller) {
      recorder.log(index, `transform ${text(chunk)}`);
      return transform.call(stage, chunk, controller);
    },
  };
}

function iterate(
  chunk: unknown,
  { size, shape, failure }: StageDescription,
  recorder: Recorder,
  fail: () => void,
): Iterable<unknown> | AsyncIterable<unknown> {
  const failAfter = failure?.after ?? 0;
  const items = (function* () {
    recorder.openIterators++;
    try {
      for (let i = 0; i < size; i++) {
        if (i === failAfter) fail();
        yield `${text(chunk)}.${i}`;
      }
      if (failAfter >= size) fail();
    } finally {
      recorder.touch();
      recorder.openIterators--;
    }
  })();
  if (shape === 0) return [...items];
  if (shape < 3) return items;
  return (async function* () {
    yield* items;
  })();
}
