import type { RunFile } from "../job.ts";

/** Deno's files are web streams themselves. */
export const nativeDeno: RunFile = async ({ inputPath, outputPath, take }) => {
  const options = { write: true, create: true, truncate: true };
  const sink = outputPath === undefined
    ? new WritableStream<Uint8Array<ArrayBuffer>>({ write: take })
    : (await Deno.open(outputPath, options)).writable;
  const input = await Deno.open(inputPath);
  await input.readable.pipeTo(sink);
};
