import type { RealWorker } from "../job.ts";
import { parse, total } from "../steps.ts";

export const web: RealWorker = {
  json: ({ texts, take }) =>
    ReadableStream.from(texts())
      .pipeThrough(
        new TransformStream<string>({ transform: (text, it) => it.enqueue(parse(text)) }),
      )
      .pipeThrough(new TransformStream({ transform: (order, it) => it.enqueue(total(order)) }))
      .pipeTo(new WritableStream({ write: take })),
  gzip: ({ chunks, take }) =>
    ReadableStream.from(chunks())
      .pipeThrough(new CompressionStream("gzip"))
      .pipeTo(new WritableStream({ write: take })),
};
