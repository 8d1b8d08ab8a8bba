import { checkFunction, checkInteger } from "../errors.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import type { UnderlyingSink } from "../web_types.ts";
import { WriteSink } from "./write_sink.ts";
import type { WriterOptions } from "./writer_options.ts";

/** The underlying sink behind `writer`, of whichever API. */
export function underlyingSink<T>(
  write: (chunk: T, index: number, context: StageContext) => unknown,
  { concurrency = 1, close, abort, release }: Omit<WriterOptions<T>, "highWaterMark" | "size">,
): UnderlyingSink<T> {
  const action = "create writer";
  checkFunction(action, "write", write);
  checkInteger(action, "concurrency", concurrency, 1);
  for (const [name, method] of Object.entries({ close, abort, release })) {
    if (method !== undefined) checkFunction(action, name, method);
  }
  return new WriteSink({ write, close, abort, release }, concurrency);
}
