import { TextLineStream } from "@std/streams";
import { createByteOrderMarkRemover } from "../steps/byte_order_mark_remover.ts";
import { createSteps } from "../steps/create_steps.ts";
import type { CopyLines } from "../job.ts";
import { readChunks } from "../read_chunks.ts";
import { withLineSink } from "../steps/with_line_sink.ts";
import { highWaterMark } from "../steps/high_water_mark.ts";
import { toTransformer } from "../steps/to_transformer.ts";

export const std: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { perLine, linesRead } = createSteps(passes);
  await withLineSink(outputPath, async (sink) => {
    // The mark is removed by us: Deno's own removal takes U+FEFF from the start of later chunks too.
    const unmark = toTransformer({ kind: "expand", expander: createByteOrderMarkRemover() });
    let stream: ReadableStream = ReadableStream.from(readChunks(inputPath))
      .pipeThrough(new TextDecoderStream("utf-8", { ignoreBOM: true }))
      .pipeThrough(new TransformStream(unmark, { highWaterMark }, { highWaterMark }))
      .pipeThrough(new TextLineStream());
    for (const step of perLine) {
      stream = stream.pipeThrough(
        new TransformStream(toTransformer(step), { highWaterMark }, { highWaterMark }),
      );
    }
    await stream.pipeTo(new WritableStream(sink, { highWaterMark }));
  });
  return linesRead();
};
