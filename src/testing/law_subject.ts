import { fuse } from "../fuse/fuse.ts";
import { pipeline } from "../pipeline/pipeline.ts";
import { reader } from "../sources/reader.ts";
import { throwTypeError } from "../errors.ts";
import { generatorTag } from "../generator_tag.ts";
import type { Transformer } from "../web_types.ts";
import type { LawWay } from "./law_program.ts";
import type { CheckedStage } from "./law_types.ts";
import { watchMembers } from "./watch_members.ts";

// deno-lint-ignore no-explicit-any -- stages of any chunks
type Any = any;

/** What a stage can be. */
export type StageKind = "dictionary" | "pair" | "generator" | "function";

/** What a stage is; throws if it is none. */
export function kindOf(stage: CheckedStage): StageKind {
  if (typeof stage === "function") {
    return generatorTag(stage) === "AsyncGeneratorFunction" ? "generator" : "function";
  }
  if (stage === null || typeof stage !== "object") {
    throwTypeError("check stage", "stage", "a transformer, a pair or a function", stage);
  }
  return "readable" in stage && "writable" in stage ? "pair" : "dictionary";
}

/** The stream after the stage. */
export function connectStage(
  way: LawWay,
  source: ReadableStream<unknown>,
  stage: CheckedStage,
): ReadableStream<unknown> {
  const kind = kindOf(stage);
  if (kind === "function") {
    const after = (stage as Any)(source);
    return after instanceof ReadableStream ? after : reader(after) as ReadableStream<unknown>;
  }
  if (way === "fuse") return source.pipeThrough((fuse as Any)(stage));
  return source.pipeThrough(
    kind === "pair" ? stage as Any : new TransformStream(stage as Transformer),
  );
}

/** Runs the stage between both ends to the end. */
export function runStage(
  way: LawWay,
  source: ReadableStream<unknown>,
  stage: CheckedStage,
  sink: WritableStream<unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  if (way !== "pipeline") return connectStage(way, source, stage).pipeTo(sink, { signal });
  return kindOf(stage) === "function"
    ? (pipeline as Any)((stage as Any)(source), sink, { signal })
    : (pipeline as Any)(source, stage, sink, { signal });
}

/** Where the methods of a transformer have their controller. */
const controllerPlaces = { start: 0, transform: 1, flush: 0, cancel: -1 };

/** The stage with an eye on what its methods do with their controller. */
export function watchStage(stage: CheckedStage, note: (call: string) => void): CheckedStage {
  return kindOf(stage) === "dictionary" ? watchMembers(stage, controllerPlaces, note) : stage;
}
