import { write } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** What of Deno is needed here. */
interface DenoWriter {
  readonly stdout: { write(bytes: Uint8Array): Promise<number> };
}

const deno = (globalThis as { Deno?: DenoWriter }).Deno;

/** Deno's `node:fs` would block the whole thread while no one reads a pipe, signals included. */
async function writeToDenoStdout(bytes: Uint8Array): Promise<number> {
  try {
    return await deno!.stdout.write(bytes);
  } catch (error) {
    if ((error as { code?: unknown }).code === "EAGAIN") return 0;
    throw error;
  }
}

/** Deno tells some errors of the system by their number alone. */
function withCode(error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  const isTooLarge = error.code === undefined && /\(os error 27\)/.test(error.message);
  return isTooLarge ? Object.assign(error, { code: "EFBIG" }) : error;
}

function writeOnce(descriptor: number, bytes: Uint8Array): Promise<number> {
  if (deno !== undefined && descriptor === 1) return writeToDenoStdout(bytes);
  return new Promise((resolve, reject) => {
    write(descriptor, bytes, 0, bytes.length, null, (error, written) => {
      if (error === null || error === undefined) resolve(written);
      else if (error.code === "EAGAIN") resolve(0);
      else reject(withCode(error));
    });
  });
}

/**
 * Writes all of `bytes`, also where the file takes only a part at a time, or none for a while.
 *
 * @throws The signal's reason, if it aborts between two parts.
 */
export async function writeFully(
  descriptor: number,
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
  for (let rest = bytes; rest.length > 0;) {
    signal?.throwIfAborted();
    const written = await writeOnce(descriptor, rest);
    // A pipe whose other end was set not to block says so when it is full.
    if (written === 0) await wait(2);
    rest = rest.subarray(written);
  }
}
