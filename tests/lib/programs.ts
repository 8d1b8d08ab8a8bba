import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { fuse, pipeline, take, type Transformer } from "@hosepipe/streams";
import { collectUnhandled } from "./collect_unhandled.ts";
import { draws } from "./thorough.ts";
import { turns } from "./turns.ts";

/** How a stage runs in a random program. */
export const programWays = ["pipeline", "fuse", "native"] as const;

/** Whether a rejection is one that Node's own streams leave unhandled. */
function isFaultOfNode(reason: unknown): boolean {
  return (reason as { code?: unknown } | undefined)?.code === "ERR_INTERNAL_ASSERTION";
}

/** Asks a property of random programs, and that they leave no rejection unhandled. */
export async function checkPrograms<T>(
  property: fc.IAsyncProperty<T>,
  numRuns: number = draws(100),
): Promise<void> {
  const unhandled = collectUnhandled();
  await fc.assert(property, { numRuns });
  await turns();
  assertEquals(unhandled.take().filter((reason) => !isFaultOfNode(reason)), []);
  unhandled.close();
}

/** Runs a stage in one of the ways into a sink that gets so many chunks, or all. */
export function runProgram<I, O>(
  way: string,
  source: ReadableStream<I>,
  stage: Transformer<I, O>,
  takes: number | null,
  sink: (chunk: O) => unknown,
) {
  const ending = take<O>(takes ?? 1e6);
  if (way === "pipeline") return pipeline(source, stage, ending, sink);
  const pair = way === "fuse" ? fuse(stage) : new TransformStream(stage);
  return pipeline(source.pipeThrough(pair), ending, sink);
}
