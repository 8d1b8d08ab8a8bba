import { stepOf } from "../steps.ts";
import type { ThreadsKind } from "../job.ts";

/** What the pools call in their threads. */
export default function runBatch(
  { kind, chunks }: { readonly kind: ThreadsKind; readonly chunks: readonly unknown[] },
): unknown[] {
  return chunks.map(stepOf(kind));
}
