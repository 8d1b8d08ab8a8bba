import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import type { RunFile } from "../job.ts";
import { open, writeFile } from "node:fs/promises";
import { withChunkSink } from "../with_chunk_sink.ts";

/** Node reads a file as a web stream; it has none to write one. */
const nativeNode: RunFile = async (job) => {
  await using file = await open(job.inputPath);
  await withChunkSink(
    job,
    (write) => file.readableWebStream().pipeTo(new WritableStream({ write })),
  );
};

/** Deno's files are web streams themselves. */
const nativeDeno: RunFile = async ({ inputPath, outputPath, take }) => {
  const options = { write: true, create: true, truncate: true };
  const sink = outputPath === undefined
    ? new WritableStream<Uint8Array<ArrayBuffer>>({ write: take })
    : (await Deno.open(outputPath, options)).writable;
  const input = await Deno.open(inputPath);
  await input.readable.pipeTo(sink);
};

/** What we use of Bun's global; its types and Deno's cannot be loaded together. */
interface BunGlobal {
  file(path: string): {
    stream(): ReadableStream<Uint8Array>;
    writer(): { write(chunk: Uint8Array): number | Promise<number>; end(): unknown };
  };
}

/** Bun reads a file as a web stream, and writes with a sink of its own. */
const nativeBun: RunFile = async ({ inputPath, outputPath, take }) => {
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

const natives = { deno: nativeDeno, bun: nativeBun, node: nativeNode };

export const native: RunFile = natives[currentRuntime().name];
