import { FileChangedError } from "./served_file.ts";
import { plainAnswer } from "./file_request.ts";

/** Whether an error says that the process, or the system, has no file descriptor left: there will be when one is closed. */
export function isOutOfFiles(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: string };
  return code === "EMFILE" || code === "ENFILE";
}

/** An answer is tried so often while the file changes under it and nothing has been sent. */
const tries = 5;

/** Makes an answer again while its file changes and nothing of it has been sent. */
export async function untilUnchanged<T>(make: () => Promise<T>): Promise<T> {
  for (let left = tries;; left--) {
    try {
      return await make();
    } catch (error) {
      if (!(error instanceof FileChangedError) || left === 1) throw error;
    }
  }
}

/** The answer when something failed here; clients learn no more than that. */
export function failedAnswer(error: unknown, isHead: boolean): ReturnType<typeof plainAnswer> {
  const isBusy = isOutOfFiles(error);
  return plainAnswer(isBusy ? 503 : 500, isHead, isBusy ? { "retry-after": "1" } : {});
}

/** Makes of an `onError` a function that never throws: its own failure is reported, and ends no answer. */
export function errorTeller<Asked>(
  onError: (error: unknown, request: Asked) => void = (error) => console.error(error),
): (error: unknown, request: Asked) => void {
  return (error, request) => {
    try {
      onError(error, request);
    } catch (failure) {
      console.error(failure);
    }
  };
}
