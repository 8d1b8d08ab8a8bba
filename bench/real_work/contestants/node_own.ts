import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { sinkWritableOptions } from "../../chains/sink_writable_options.ts";
import { toTransformOptions } from "../../chains/to_transform_options.ts";
import { withLineSink } from "../../text/with_line_sink.ts";
import type { RealJob, RunRealWork } from "../job.ts";
import { openChunks } from "../open_chunks.ts";
import { createSteps } from "../steps/create_steps.ts";

async function open({ from, url, inputPath }: RealJob): Promise<Readable> {
  if (from === "http") return Readable.fromWeb((await fetch(url)).body as NodeReadableStream);
  const bytes = createReadStream(inputPath);
  return from === "gzip" ? bytes.pipe(createGunzip()) : bytes;
}

export const nodeOwn: RunRealWork = (job) =>
  withLineSink(job.outputPath, async (sink) => {
    const chain = {
      source: () => openChunks(job),
      isBatched: false,
      steps: createSteps(job.customers),
      write: (line: string) => sink.write(line),
    };
    const lines = createInterface({ input: await open(job), crlfDelay: Infinity });
    await pipeline([
      Readable.from(lines),
      ...toTransformOptions(chain).map((options) => new Transform(options)),
      new Writable(sinkWritableOptions(chain)),
    ]);
  });
