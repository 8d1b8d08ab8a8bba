import { TextLineStream } from "@std/streams";
import { toTransformers } from "../../chains/to_transformers.ts";
import { readAhead } from "../../text/read_ahead.ts";
import { withLineSink } from "../../text/with_line_sink.ts";
import type { CopyLines } from "../job.ts";
import { createSteps } from "../steps/create_steps.ts";
import { passFunctions } from "../../chains/pass_functions.ts";

/** Removes the mark, since Deno's own removal takes U+FEFF from the start of later chunks too. */
function createUnmark(): Transformer<string, string> {
  let atStart = true;
  return {
    transform(text, controller) {
      if (text === "") return;
      controller.enqueue(atStart && text.startsWith("\uFEFF") ? text.slice(1) : text);
      atStart = false;
    },
  };
}

export const std: CopyLines = async ({ inputPath, outputPath, passes }) => {
  const { steps, linesRead } = createSteps(passFunctions(passes));
  await withLineSink(outputPath, async (sink) => {
    let stream: ReadableStream = ReadableStream.from(readAhead(inputPath))
      .pipeThrough(new TextDecoderStream("utf-8", { ignoreBOM: true }))
      .pipeThrough(new TransformStream(createUnmark()))
      .pipeThrough(new TextLineStream());
    for (const transformer of toTransformers({ isBatched: false, steps })) {
      stream = stream.pipeThrough(new TransformStream(transformer));
    }
    await stream.pipeTo(new WritableStream(sink));
  });
  return linesRead();
};
