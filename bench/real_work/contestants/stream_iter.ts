import { loadStreamIter } from "../../peers/load_stream_iter.ts";
import { LineDecoder } from "../../text/line_decoder.ts";
import { withLineSink } from "../../text/with_line_sink.ts";
import type { RunRealWork } from "../job.ts";
import { openChunks } from "../open_chunks.ts";
import { createSteps } from "../steps/create_steps.ts";

export const streamIter: RunRealWork = async (job) => {
  const { from, pipeTo } = await loadStreamIter();
  const steps = createSteps(job.customers);
  const decoder = new LineDecoder();
  const encoder = new TextEncoder();
  const work = (line: string): string => {
    let result: unknown = line;
    for (const step of steps) {
      if (step.kind === "map") result = step.fn(result);
      else if (!step.fn(result)) return "";
    }
    return result as string;
  };
  const stage = (chunks: Uint8Array[] | null): Uint8Array[] => {
    const lines = chunks === null ? decoder.end() : chunks.flatMap((chunk) => decoder.push(chunk));
    const text = lines.map(work).join("");
    return text === "" ? [] : [encoder.encode(text)];
  };
  const texts = new TextDecoder();
  await withLineSink(job.outputPath, async (sink) => {
    const write = async (chunk: Uint8Array) => await sink.write(texts.decode(chunk));
    await pipeTo(from(openChunks(job)), stage, { write });
  });
};
