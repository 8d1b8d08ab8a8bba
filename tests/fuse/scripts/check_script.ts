import type * as Library from "../../../mod.ts";
import { runScript, type Trace } from "./run_script.ts";
import type { Script } from "./script.ts";

/** Whether ours may go on reading chunks where native has dropped them for a failure. */
function isRead(native: readonly string[], ours: readonly string[]): boolean {
  const failed = native.findIndex((read) => read.startsWith("failed"));
  if (failed < 0) return false;
  return native.slice(0, failed).every((read, index) => read === ours[index]) &&
    ours.slice(failed).every((read) => !read.startsWith("failed") || native.includes(read));
}

/**
 * What differs, but for two things that are so on purpose: a failure stands behind the chunks that were made before
 * it, so that the readable side fails when they are read; and an abort waits for no write that waits for room, nor for
 * a start, where native's is pending.
 */
function compareTraces(script: Script, native: Trace, ours: Trace): string[] {
  const problems: string[] = [];
  const isEarlyAbort = native.results.some((result, index) =>
    script.steps[index] === "abort" && result === "pending" && ours.results[index] === "done"
  );
  for (const part of ["results", "reads", "calls", "ends"] as const) {
    const theirs = native[part].join(" | ");
    const own = ours[part].join(" | ");
    if (theirs === own || isEarlyAbort) continue;
    if (part === "reads" && isRead(native.reads, ours.reads)) continue;
    const isBehind = native.ends[1]!.startsWith("failed") && ours.ends[1] === "pending";
    if (part === "ends" && isBehind && native.ends[0] === ours.ends[0]) continue;
    problems.push(`${part}:\n      native ${theirs}\n      ours   ${own}`);
  }
  return problems;
}

/** Runs a script with a native pair and with a fused one, and says what differs. */
export async function checkScript(script: Script, { fuse }: typeof Library): Promise<string[]> {
  const native = await runScript(
    script,
    (transformer, writable, readable) => new TransformStream(transformer, writable, readable),
  );
  const ours = await runScript(
    script,
    (transformer, writableStrategy, readableStrategy) =>
      fuse(transformer, {
        writableStrategy: writableStrategy ?? {},
        readableStrategy: readableStrategy ?? {},
      }),
  );
  return compareTraces(script, native, ours);
}

/** Scripts with one part less, or one step less. */
export function* simplerScripts(script: Script): Generator<Script> {
  for (const index of script.steps.keys()) {
    yield { ...script, steps: script.steps.toSpliced(index, 1) };
  }
  for (const index of script.transform.keys()) {
    yield { ...script, transform: script.transform.toSpliced(index, 1) };
    for (const act of script.transform[index]!.keys()) {
      yield {
        ...script,
        transform: script.transform.with(index, script.transform[index]!.toSpliced(act, 1)),
      };
    }
  }
  for (const name of ["start", "flush", "cancel"] as const) {
    const acts = script[name];
    if (acts === null) continue;
    if (name !== "start") yield { ...script, [name]: null };
    for (const index of acts.keys()) yield { ...script, [name]: acts.toSpliced(index, 1) };
  }
  for (const name of ["writableMark", "readableMark"] as const) {
    if (script[name] !== null) yield { ...script, [name]: null };
  }
  if (script.hasSize) yield { ...script, hasSize: false };
}
