import { batch, compose, fuse } from "../../../mod.ts";
import { createSteps } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readChunks } from "../read_chunks.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { toStages } from "../steps/to_stages.ts";

/** Lines that go through the native end together. */
const batchSize = 64;

export const fuseBatched: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const steps = createSteps(passes);
  await withLineSink(outputPath, async (sink) => {
    const output = new WritableStream<string[]>({
      async write(lines) {
        for (const line of lines) {
          const written = sink.write(line);
          if (written !== undefined) await written;
        }
      },
    });
    await ReadableStream.from(readChunks(inputPath))
      .pipeThrough(fuse(compose(toStages(steps)), batch<string>(batchSize)))
      .pipeTo(output);
  });
  return steps.linesRead();
};
