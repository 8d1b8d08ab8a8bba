import * as library from "@hosepipe/streams";
import { currentTime } from "../../../src/testing/current_time.ts";
import { readDiagramOptions } from "../../../src/testing/diagram_options.ts";
import { runDiagram, type SeenDiagram, type SeenEvent } from "../../../src/testing/diagram_run.ts";
import { inVirtualTime } from "../in_virtual_time.ts";
import type { OperatorProgram } from "./operator_programs.ts";

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
