import type { FileAnswer } from "./file_request.ts";
import { plainAnswer } from "./plain_answer.ts";
import type { Settings } from "./read_settings.ts";

/** Lets only so many answers have a file open at once; who waits too long gets a 503. */
export async function limitOpenFiles(
  isHead: boolean,
  { slots, queueMs }: Settings,
  answer: () => Promise<FileAnswer | undefined>,
): Promise<FileAnswer | undefined> {
  const hasSlot = slots.take(queueMs);
  if (hasSlot !== true && !await hasSlot) return plainAnswer(503, isHead, { "retry-after": "1" });
  let isKept = false;
  try {
    const found = await answer();
    const body = found?.body;
    if (typeof body === "object" && "file" in body) {
      slots.hold(body.file);
      isKept = true;
    }
    return found;
  } finally {
    if (!isKept) slots.release();
  }
}
