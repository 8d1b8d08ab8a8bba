import { collectUnhandled } from "./collect_unhandled.ts";
import { turns } from "./turns.ts";

/** The rejections that are left without a handler while `run` goes on, and some turns after it. */
export async function unhandledDuring(run: () => Promise<unknown>): Promise<unknown[]> {
  const unhandled = collectUnhandled();
  try {
    await run();
    await turns();
    return unhandled.take();
  } finally {
    unhandled.close();
  }
}
