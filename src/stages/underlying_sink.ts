import { checkFunction, checkInteger } from "../errors.ts";
import type { UnderlyingSink } from "../web_types.ts";
import { WriteSink } from "./write_sink.ts";
import type { WriterOptions } from "./writer_options.ts";

/** The underlying sink behind `writer`, of whichever API. */
export function underlyingSink<T>(
  write: (chunk: T, index: number) => unknown,
  { concurrency = 1, close, abort }: Pick<WriterOptions<T>, "concurrency" | "close" | "abort">,
): UnderlyingSink<T> {
  const action = "create writer";
  checkFunction(action, "write", write);
  checkInteger(action, "concurrency", concurrency, 1);
  if (close !== undefined) checkFunction(action, "close", close);
  if (abort !== undefined) checkFunction(action, "abort", abort);
  return new WriteSink(write, concurrency, close, abort);
}
