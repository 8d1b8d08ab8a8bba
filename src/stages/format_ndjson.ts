import type { Transformer } from "../web_types.ts";
import { kernelTransformer } from "../kernels/kernel_transformer.ts";
import { MapKernel } from "../kernels/map.ts";

/**
 * Writes each chunk as a line of JSON, including `\n`.
 *
 * A chunk that JSON cannot express, such as `undefined` or a function, fails the stream with a `TypeError`
 * that says its number; so does one with a circle or a BigInt, whose own `TypeError` is the cause. Anything that a chunk's
 * `toJSON` throws besides is the failure itself.
 *
 * @typeParam T The type of the chunks.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 *
 * @example Rows
 * ```ts
 * import { formatNdjson } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const text = ReadableStream.from([{ id: 1 }, { id: 2 }])
 *   .pipeThrough(new TransformStream(formatNdjson()));
 *
 * assert.deepEqual(await Array.fromAsync(text), ['{"id":1}\n', '{"id":2}\n']);
 * ```
 */
export function formatNdjson<T = unknown>(): Transformer<T, string> {
  return kernelTransformer(() => new MapKernel(formatLine), "formatNdjson");
}

function formatLine(chunk: unknown, index: number): string {
  let line: string | undefined;
  try {
    line = JSON.stringify(chunk);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new TypeError(
      `Cannot format NDJSON: chunk ${index + 1} is not JSON: ${cause.message}`,
      { cause },
    );
  }
  if (line !== undefined) return `${line}\n`;
  throw new TypeError(
    `Cannot format NDJSON: chunk ${index + 1} is ${typeof chunk}, which JSON has nothing for`,
  );
}
