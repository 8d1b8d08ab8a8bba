import { TextLineStream } from "@std/streams";
import { toTransformers } from "../../chains/to_transformers.ts";
import { readAhead } from "../../text/read_ahead.ts";
import { withLineSink } from "../../text/with_line_sink.ts";
import type { RealJob, RunRealWork } from "../job.ts";
import { createSteps } from "../steps/create_steps.ts";

async function open({ from, url, inputPath }: RealJob): Promise<ReadableStream<Uint8Array>> {
  if (from === "http") return (await fetch(url)).body!;
  const bytes: ReadableStream = ReadableStream.from(readAhead(inputPath));
  return from === "gzip" ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
}

export const webOwn: RunRealWork = (job) =>
  withLineSink(job.outputPath, async (sink) => {
    const bytes: ReadableStream = await open(job);
    let stream: ReadableStream = bytes.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream());
    const steps = createSteps(job.customers);
    for (const transformer of toTransformers({ isBatched: false, steps })) {
      stream = stream.pipeThrough(new TransformStream(transformer));
    }
    await stream.pipeTo(new WritableStream({ write: (line: string) => sink.write(line) }));
  });
