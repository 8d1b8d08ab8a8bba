import { compose, filter, flatMap, map, parallel } from "@hosepipe/streams";
import { microtasks } from "../../lib/microtasks.ts";
import type { Operator } from "../../lib/operator.ts";
import { operators } from "../../lib/operators.ts";
import { type Hook, type Stage, worksAhead } from "./chain.ts";
import { type Journal, oddValue } from "./journal.ts";

/** Those of the table of operators, by their names there. */
const rows: ReadonlyMap<string, Operator> = new Map(operators.map((row) => [row.name, row]));

/** What the table calls those that have another name here. */
const rowNames: Readonly<Record<string, string>> = {
  flatMap: "flatMap, arrays",
  flatMapAhead: "flatMap, several at a time",
  stage: "stage, a generator",
};

type Controller = TransformStreamDefaultController<unknown>;
type Built = Transformer<unknown, unknown>;

/** Does what a hook says; `end` gets the controller for an end of its own. */
export function runHook(
  { mode, delay, kind }: Hook,
  label: string,
  journal: Journal,
  controller?: Pick<Controller, "enqueue" | "error" | "terminate">,
): void | Promise<void> {
  const act = () => {
    journal.touch();
    if (mode === "enqueue") controller!.enqueue(`${label}!`);
    else if (mode === "terminate") controller!.terminate();
    else if (mode === "error") controller!.error(journal.reason(label, kind));
    else if (mode === "throw") throw journal.reason(label, kind);
  };
  return delay === 0 ? act() : microtasks(delay - 1).then(act);
}

/** Makes the transformer of a description; what it hears goes into the journal. */
export function buildStage(
  stage: Stage,
  index: number,
  journal: Journal,
  capture: ((controller: Controller) => void) | undefined,
): Built {
  const { start, flush, cancel } = stage;
  const operator = operatorOf(stage, index, journal);
  // As it came from the library, where nothing needs to listen in.
  if (!start && !flush && !cancel && !capture) return operator;
  const built: Built = { ...operator };
  const { start: ownStart, flush: ownFlush, cancel: ownCancel } = built;
  if (start || capture) {
    built.start = (controller) => {
      if (start) journal.hear(index, "start");
      capture?.(controller);
      const own = ownStart?.call(built, controller) as unknown;
      const rest = () => start && runHook(start, `start ${index}`, journal, controller);
      return own === undefined ? rest() : Promise.resolve(own).then(rest);
    };
  }
  if (flush) {
    built.flush = (controller) => {
      journal.hear(index, "flush");
      const own = ownFlush?.call(built, controller) as unknown;
      const rest = () => runHook(flush, `flush ${index}`, journal, controller);
      return own === undefined ? rest() : Promise.resolve(own).then(rest);
    };
  }
  if (cancel) {
    let controller: Controller;
    const before = built.start;
    if (cancel.mode === "error") {
      built.start = (given) => {
        controller = given;
        return before?.call(built, given);
      };
    }
    built.cancel = (reason) => {
      journal.hear(index, `cancel ${journal.text(reason)}`);
      const own = ownCancel?.call(built, reason) as unknown;
      const rest = () => runHook(cancel, `cancel ${index}`, journal, controller);
      return own === undefined ? rest() : Promise.resolve(own).then(rest);
    };
  }
  return built;
}

/** What the calls of a stage's function have in common: their count, their failure, their promises. */
function caller({ operator, timing, delay, failure }: Stage, index: number, journal: Journal) {
  let calls = 0;
  let isRunning = false;
  return <Result>(body: (call: number, fail: () => void) => Result): Result | Promise<Result> => {
    const call = calls++;
    journal.see(`stage ${index}`);
    if (isRunning && !worksAhead.has(operator)) {
      journal.faults.push(`stage ${index} runs twice at once`);
    }
    const fail = () => {
      if (failure?.at === call) throw journal.reason(`transform ${index}`, failure.kind);
    };
    if (timing === "sync" || (timing === "mixed" && call % 2 === 0)) return body(call, fail);
    isRunning = true;
    return microtasks(delay).then(() => {
      journal.touch();
      isRunning = false;
      return body(call, fail);
    });
  };
}

function mapped(chunk: unknown, { shape, size }: Stage, call: number, journal: Journal): unknown {
  if (shape === 0) return chunk;
  if (shape === 3 && call % 3 === 2) return oddValue(journal, size + call);
  if (shape === 2) {
    return { then: (resolve: (value: string) => void) => resolve(`${journal.text(chunk)}t`) };
  }
  return `${journal.text(chunk)}m`;
}

function operatorOf(stage: Stage, index: number, journal: Journal): Built {
  const { operator, size } = stage;
  const call = caller(stage, index, journal);
  const change = (chunk: unknown) =>
    call((call, fail) => (fail(), mapped(chunk, stage, call, journal)));
  switch (operator) {
    case "map":
      return map(change);
    case "parallel":
      return parallel(change, { concurrency: 1 + size % 4 });
    case "none":
      return { transform: undefined };
    case "raw":
      return rawStage(stage, index, journal);
    case "compose":
      return compose(
        map(change),
        compose([filter(() => true), flatMap((chunk) => Array(size % 3).fill(chunk))]),
      );
    default:
      return fromTable(stage, journal, call);
  }
}

/** Those of the table of operators that take text and nothing else. */
const ofText = new Set<Stage["operator"]>(["lines", "split", "rechunk", "formatNdjson"]);

function fromTable(
  stage: Stage,
  journal: Journal,
  call: ReturnType<typeof caller>,
): Built {
  const { operator, size } = stage;
  const { makeRandom, makeSized } = rows.get(rowNames[operator] ?? operator)!;
  const made = makeRandom?.({
    size,
    call: (_, body) => call(body),
    iterate: (chunk, fail) => iterate(chunk, stage, journal, fail),
    text: (chunk) => journal.text(chunk),
  }) ?? makeSized!(size);
  return ofText.has(operator) ? withText(made, journal) : made;
}

/** Gives a stage that takes text alone lines of it. */
function withText(stage: Built, journal: Journal): Built {
  const transform = stage.transform!;
  return {
    ...stage,
    transform: (chunk, controller) =>
      transform.call(stage, `${journal.text(chunk)}\nx`, controller),
  };
}

function iterate(
  chunk: unknown,
  { size, shape, failure }: Stage,
  journal: Journal,
  fail: () => void,
): Iterable<unknown> | AsyncIterable<unknown> {
  const failAfter = failure?.after ?? 0;
  const items = (function* () {
    journal.openIterators++;
    try {
      for (let i = 0; i < size; i++) {
        if (i === failAfter) fail();
        yield size === 1 ? chunk : `${journal.text(chunk)}.${i}`;
      }
      if (failAfter >= size) fail();
    } finally {
      journal.touch();
      journal.openIterators--;
    }
  })();
  if (shape === 0) return [...items];
  if (shape < 3) return items;
  return (async function* () {
    yield* items;
  })();
}

/** A transformer as a user writes it by hand: it keeps something in `this`, and fails in every way there is. */
function rawStage(stage: Stage, index: number, journal: Journal): Built {
  const { timing, delay, size, shape, failure } = stage;
  let isRunning = false;
  const failWith = (controller: Controller) => {
    const { how, kind } = failure!;
    if (how === "terminate") return controller.terminate();
    const reason = journal.reason(`transform ${index}`, kind);
    if (how === "throw") throw reason;
    controller.error(reason);
  };
  function* steps(chunk: unknown, call: number, controller: Controller): Generator<void> {
    const failAfter = failure?.at === call ? Math.min(failure.after, size) : -1;
    for (let i = 0; i < size; i++) {
      if (i === failAfter) return failWith(controller);
      controller.enqueue(size === 1 ? chunk : `${journal.text(chunk)}.${i}`);
      yield;
    }
    if (failAfter === size) failWith(controller);
  }
  const raw = {
    calls: 0,
    transform(this: { calls: number }, chunk: unknown, controller: Controller) {
      const call = this.calls++;
      journal.see(`stage ${index}`);
      if (isRunning) journal.faults.push(`stage ${index} runs twice at once`);
      const all = steps(chunk, call, controller);
      if (timing === "sync" || (timing === "mixed" && call % 2 === 0)) {
        for (const _ of all);
        return;
      }
      isRunning = true;
      return (async () => {
        try {
          if (shape !== 1) await microtasks(delay);
          for (const _ of all) if (shape === 2) await microtasks(delay);
          if (shape === 1) await microtasks(delay);
        } finally {
          journal.touch();
          isRunning = false;
        }
      })();
    },
  };
  return raw as Built;
}
