import { fuse } from "@hosepipe/streams";
import type { Source } from "./_row.ts";

/** The chunks of a source behind stages of ours. */
export function through(source: Source, ...stages: readonly unknown[]): AsyncIterable<unknown> {
  return ReadableStream.from(source)
    .pipeThrough((fuse as (...stages: unknown[]) => TransformStream)(...stages));
}
