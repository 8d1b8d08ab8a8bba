import process from "node:process";
import type { Writable } from "node:stream";

/** The `write` of a process's own output, which is never ended; nothing for any other stream. */
export function standardWrite(stream: Writable): ((chunk: unknown) => Promise<void>) | undefined {
  if (stream !== process.stdout && stream !== process.stderr) return undefined;
  return (chunk) =>
    new Promise((resolve, reject) => {
      const forget = (): void => void stream.off("error", reject);
      stream.on("error", reject);
      stream.write(chunk, (error) => {
        if (error == null) {
          forget();
          resolve();
        } else {
          // Its error event follows the callback.
          setImmediate(forget);
          reject(error);
        }
      });
    });
}
