import { writeFile } from "node:fs/promises";
import type { RunFile } from "../job.ts";

/** What we use of Bun's global; its types and Deno's cannot be loaded together. */
interface BunGlobal {
  file(path: string): {
    stream(): ReadableStream<Uint8Array>;
    writer(): { write(chunk: Uint8Array): number | Promise<number>; end(): unknown };
  };
}

/** Bun reads a file as a web stream, and writes with a sink of its own. */
export const nativeBun: RunFile = async ({ inputPath, outputPath, take }) => {
  const { Bun } = globalThis as unknown as { Bun: BunGlobal };
  const chunks = Bun.file(inputPath).stream();
  if (outputPath === undefined) {
    for await (const chunk of chunks) take(chunk);
    return;
  }
  // Its writer leaves what a longer file has after the new end.
  await writeFile(outputPath, "");
  const writer = Bun.file(outputPath).writer();
  try {
    for await (const chunk of chunks) await writer.write(chunk);
  } finally {
    await writer.end();
  }
};
