import { type LineSink, openLineSink } from "./open_line_sink.ts";

/**
 * Opens a line sink for `use`, then closes it, or aborts it if `use` fails. Where streams close or abort
 * it themselves this only waits for it: not all of them do, and some report a failure first.
 */
export async function withLineSink(
  path: string,
  use: (sink: LineSink) => Promise<void>,
): Promise<void> {
  const sink = await openLineSink(path);
  try {
    await use(sink);
    await sink.close();
  } catch (error) {
    await sink.abort();
    throw error;
  }
}
