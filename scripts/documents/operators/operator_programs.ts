import * as library from "@hosepipe/streams";
import { currentTime } from "../../../src/testing/current_time.ts";
import { readDiagramOptions } from "../../../src/testing/diagram_options.ts";
import { runDiagram, type SeenDiagram, type SeenEvent } from "../../../src/testing/diagram_run.ts";
import { inVirtualTime } from "../in_virtual_time.ts";

/** What happened at the ends of an operator. */
export interface OperatorRun extends SeenDiagram {
  /** What the sink asked for, and when; nothing if it asked for all from the beginning. */
  readonly asked: readonly SeenEvent[];
  /** How many milliseconds it took. */
  readonly lengthMs: number;
}

/** Makes what the code says: of a stage, what a stream is piped through. */
function openerOf(code: string, hasSources: boolean) {
  const names = Object.keys(library);
  const run = new Function(...names, "console", "wait", "one", "other", `return ${code}`);
  const values = Object.values(library);
  // What a program prints is no part of its picture.
  const silent = { log() {} };
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, ms));
  return (...sources: ReadableStream<unknown>[]) => {
    const made = run(...values, silent, wait, ...sources);
    if (made instanceof ReadableStream || !hasSources) return made;
    return sources[0]!.pipeThrough(new TransformStream(made));
  };
}

/** Runs a program between the ends of `expectDiagram`, on a clock that is not real. */
export async function runOperator(program: OperatorProgram): Promise<OperatorRun> {
  const { code, in: ins, demand, values = {}, columns } = program;
  const given = { in: ins, out: "-".repeat(columns ?? 0), demand, values };
  const plan = readDiagramOptions(given);
  const chunks = {
    valueOf: (letter: string) => Object.hasOwn(values, letter) ? values[letter] : letter,
    failure: new Error("broken"),
    cancellation: new Error("cancelled"),
  };
  const open = openerOf(code, ins.length > 0);
  const seen = await inVirtualTime(() => runDiagram(open, plan, chunks, currentTime()!));
  const asked = (plan.demand?.events ?? []).map(({ kind, atMs, name }) => ({
    ...{ kind, atMs, value: name === "*" ? "all" : name },
  }));
  return {
    ...seen,
    asked,
    lengthMs: Math.max(...[...plan.ins, plan.out].map(({ endsAtMs }) => endsAtMs)),
  };
}

/** A stage or source as it is called, and what is given to it. */
export interface OperatorProgram {
  /** An expression of the library's exports, which is run and shown; `wait(ms)` gives `ms` after so long. */
  readonly code: string;
  /** What each source gives, as a diagram. */
  readonly in: readonly string[];
  /** What the sink requests, as a diagram; all by default. */
  readonly demand?: string;
  /** What letters stand for, as an expression. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** How many columns are shown; by default as many as `in` has. */
  readonly columns?: number;
}

const numbers = Object.fromEntries([1, 2, 3, 4, 5, 6].map((number) => [`${number}`, number]));
const text = { a: "on", b: "e\ntwo", c: "\nthr", d: "ee" };
const lines = { a: '{"id":1}\n{"i', b: 'd":2}\n' };
const objects = { a: { id: 1 }, b: { id: 2 } };
const bytes = { a: new Uint8Array([1, 2, 3]), b: new Uint8Array([4, 5]) };

/** The programs that are drawn, by the name of the operator. */
export const operatorPrograms: Readonly<Record<string, OperatorProgram>> = {
  map: { code: "map((letter) => letter.toUpperCase())", in: ["a-b-c|"] },
  filter: { code: "filter((n) => n % 2 === 0)", in: ["1-2-3-4|"], values: numbers },
  flatMap: { code: "flatMap((letter) => [letter, letter])", in: ["a--b--|"], demand: "1-1-*" },
  tap: { code: "tap((letter) => console.log(letter))", in: ["a-b-|"] },
  scan: { code: "scan((sum, n) => sum + n, 0)", in: ["1-2-3|"], values: numbers },
  take: { code: "take(2)", in: ["a-b-c-d|"] },
  takeWhile: { code: "takeWhile((n) => n < 3)", in: ["1-2-3-4|"], values: numbers },
  takeUntil: { code: "takeUntil(AbortSignal.timeout(3))", in: ["a-b-c-d|"] },
  takeLast: { code: "takeLast(2)", in: ["a-b-c-d|"] },
  drop: { code: "drop(2)", in: ["a-b-c-d|"] },
  dropWhile: { code: "dropWhile((n) => n < 3)", in: ["1-2-3-1|"], values: numbers },
  distinct: { code: "distinct()", in: ["a-b-a-c|"] },
  changes: { code: "changes()", in: ["a-a-b-a|"] },
  pairwise: { code: "pairwise()", in: ["a-b-c|"] },
  sliding: { code: "sliding(3)", in: ["a-b-c-d|"] },
  batch: { code: "batch(3, { maxWaitMs: 3 })", in: ["abc-d-----e|"], demand: "1---1----*" },
  batchBy: { code: "batchBy((n) => n % 2, 2)", in: ["1-2-3-4|"], values: numbers },
  parallel: {
    code: "parallel((ms) => wait(ms), { concurrency: 2 })",
    in: ["412----|"],
    values: numbers,
    columns: 9,
  },
  limitRate: { code: "limitRate({ perSecond: 500, burst: 1 })", in: ["abc|"], columns: 8 },
  attempt: {
    code: 'attempt((text) => JSON.parse(text), { attempts: 1, onError: () => "skip" })',
    in: ["1-x-3|"],
  },
  expand: { code: "expand((n) => n > 1 ? [n - 1] : [])", in: ["3---2--|"], values: numbers },
  lines: { code: "lines()", in: ["a-b-c-d|"], values: text },
  split: { code: 'split("e")', in: ["a-b-c-d|"], values: text },
  intersperse: { code: 'intersperse(", ")', in: ["a-b-c|"] },
  parseNdjson: { code: "parseNdjson()", in: ["a---b---|"], values: lines },
  formatNdjson: { code: "formatNdjson()", in: ["a---b---|"], values: objects },
  encode: { code: "encode()", in: ["a-b-|"] },
  rechunk: { code: "rechunk(2)", in: ["a--b--|"], values: bytes },
  limitBytes: { code: "limitBytes(4)", in: ["a--b--|"], values: bytes },
  merge: { code: "merge(one, other)", in: ["a--b--|", "-c--d|"], demand: "1--1--*" },
  mergeBy: {
    code: "mergeBy({ key: (n) => n }, one, other)",
    in: ["1-3-5|", "2-4|"],
    values: numbers,
  },
  concat: { code: "concat(one, other)", in: ["a-b|", "c-d|"], demand: "1--2-*", columns: 7 },
  zip: { code: "zip(one, other)", in: ["a-b--|", "--c-d|"], demand: "1--1-*" },
  timeout: { code: "timeout(one, { idleMs: 3 })", in: ["a-b------|"] },
  retry: {
    code: "retry(({ attempt }) => attempt === 1 ? one : other, { delayMs: 1 })",
    in: ["a-#", "----b|"],
  },
  interval: { code: "interval(2)", in: [], columns: 8 },
};
