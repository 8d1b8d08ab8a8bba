import type { RunFailure } from "../engine/run_failure.ts";
import { failureOf } from "./failure_of.ts";

/** What a reason says, whatever it is. */
function textOf(reason: unknown): string {
  try {
    return reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
  } catch {
    return "a value that has no text";
  }
}

/** "stage 13 of 18, map(parsePrice)"; a part of a run that is no stage goes by its name. */
function describePart({ side, stage, stageCount, part, name }: RunFailure): string {
  if (stage === undefined) return `${side}, ${name}`;
  return `stage ${stage} of ${stageCount}${part === undefined ? "" : `, part ${part}`}, ${name}`;
}

function describeChunk({ chunkIndex, chunksWritten }: RunFailure): string {
  const at = chunkIndex === undefined ? "" : `, on chunk ${chunkIndex + 1}`;
  return chunksWritten === undefined ? at : `${at} (after ${chunksWritten} written)`;
}

/**
 * Describes a failure for a log, in up to three lines: what was thrown, where, and where the run was called if that was
 * kept. Chunks are counted from 1.
 *
 * ```text
 * pipeline failed: SyntaxError: Unexpected token 'o', "oops" is not valid JSON
 * stage 13 of 18, map(parsePrice), on chunk 7 (after 6 written)
 * started at import.ts:42
 * ```
 *
 * @param reason What was thrown.
 * @param failure Where; default: what `failureOf` knows. Without any there is the first line alone.
 *
 * @example
 * ```ts
 * import { map, pipeline } from "@hosepipe/streams";
 * import { describeFailure } from "@hosepipe/streams/inspect";
 * import assert from "node:assert/strict";
 *
 * function parsePrice(text: string) {
 *   if (text === "oops") throw new Error("no price");
 *   return Number(text);
 * }
 * try {
 *   await pipeline(["4", "oops"], map(parsePrice), () => {});
 * } catch (error) {
 *   assert.deepEqual(
 *     describeFailure(error),
 *     "pipeline failed: Error: no price\nstage 1 of 1, map(parsePrice), on chunk 2 (after 1 written)",
 *   );
 * }
 * ```
 */
export function describeFailure(
  reason: unknown,
  failure: RunFailure | undefined = failureOf(reason),
): string {
  if (failure === undefined) return `failed: ${textOf(reason)}`;
  const { pipeline, callSite } = failure;
  const lines = [
    `${pipeline} failed: ${textOf(reason)}`,
    `${describePart(failure)}${describeChunk(failure)}`,
  ];
  if (callSite !== undefined) lines.push(`started at ${callSite.replace(/^.*[/\\]/, "")}`);
  return lines.join("\n");
}
