import type { Answerer } from "./file_request.ts";
import { plainAnswer } from "./plain_answer.ts";
import type { Settings } from "./read_settings.ts";

/** Lets only so many answers have a file open at once; who waits too long gets a 503. */
export function limitOpenFiles(answer: Answerer, { slots, queueMs }: Settings): Answerer {
  return async (request) => {
    const hasSlot = slots.take(queueMs);
    if (hasSlot !== true && !await hasSlot) {
      return plainAnswer(503, request.method === "HEAD", { "retry-after": "1" });
    }
    let isKept = false;
    try {
      const found = await answer(request);
      if (typeof found.body === "object") {
        found.body.file.whenClosed(() => slots.release());
        isKept = true;
      }
      return found;
    } finally {
      if (!isKept) slots.release();
    }
  };
}
