import { createSteps } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readLines } from "../steps/read_lines.ts";
import { withLineSink } from "../steps/with_line_sink.ts";

function* map<In, Out>(chunks: Iterable<In>, fn: (chunk: In) => Out): Generator<Out> {
  for (const chunk of chunks) yield fn(chunk);
}

function* filter<Chunk>(chunks: Iterable<Chunk>, fn: (chunk: Chunk) => boolean): Generator<Chunk> {
  for (const chunk of chunks) if (fn(chunk)) yield chunk;
}

export const generators: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { perLine, linesRead } = createSteps(passes);
  await withLineSink(outputPath, async (sink) => {
    for await (const batch of readLines(inputPath)) {
      let lines: Iterable<string> = batch;
      for (const { kind, fn } of perLine) {
        lines = kind === "map" ? map(lines, fn) : filter(lines, fn);
      }
      for (const line of lines) {
        const written = sink.write(line);
        if (written) await written;
      }
    }
  });
  return linesRead();
};
