import type { OthersJob, RunOthers, StageWork } from "./job.ts";
import { transformChunk } from "./transform_chunk.ts";

/** Streams of the standard's shape: the runtime's own, or a library's. */
export interface StreamClasses {
  readonly ReadableStream: typeof ReadableStream;
  readonly TransformStream: typeof TransformStream;
  readonly WritableStream: typeof WritableStream;
  /** The mark of every buffer; default: the standard's. */
  readonly highWaterMark?: number;
}

/** A stage as its judge writes it. */
export function transformerOf(
  work: Exclude<StageWork, "gzip">,
): Transformer<Uint8Array, Uint8Array> {
  if (work === "pass") return { transform: (chunk, controller) => controller.enqueue(chunk) };
  if (work === "expand") {
    return {
      transform(chunk, controller) {
        controller.enqueue(chunk);
        controller.enqueue(chunk);
      },
    };
  }
  const change = transformChunk[work];
  if (work === "async") {
    return {
      async transform(chunk, controller) {
        controller.enqueue(await change(chunk) as Uint8Array);
      },
    };
  }
  return { transform: (chunk, controller) => controller.enqueue(change(chunk) as Uint8Array) };
}

/** The source of a row: as many chunks as are asked for. */
export function pullSource(
  { chunk, chunks, isBytes }: OthersJob,
): UnderlyingDefaultSource<Uint8Array> {
  let left = chunks;
  return {
    pull(controller) {
      // A stream of bytes takes the buffer away.
      if (left-- > 0) controller.enqueue(isBytes ? chunk.slice() : chunk);
      else controller.close();
    },
  };
}

/** A row on Web Streams, written as its judge writes it. */
export function webShapes(classes: StreamClasses): RunOthers {
  const strategy = classes.highWaterMark === undefined
    ? undefined
    : { highWaterMark: classes.highWaterMark };

  function open(job: OthersJob): ReadableStream<Uint8Array> {
    const source = pullSource(job);
    let stream: ReadableStream<Uint8Array> = job.isBytes
      ? new classes.ReadableStream({ ...source, type: "bytes" } as UnderlyingByteSource, strategy)
      : new classes.ReadableStream(source, strategy);
    for (const work of job.stages) {
      stream = work === "gzip"
        ? stream
          .pipeThrough(new CompressionStream("gzip") as unknown as TransformStream)
          .pipeThrough(new DecompressionStream("gzip"))
        : stream.pipeThrough(
          new classes.TransformStream(transformerOf(work), strategy, strategy),
        );
    }
    return stream;
  }

  async function read(stream: ReadableStream<Uint8Array>, { take }: OthersJob): Promise<void> {
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      take(value);
    }
  }

  const sink = ({ take }: OthersJob) =>
    new classes.WritableStream<Uint8Array>({ write: (chunk) => take(chunk) }, strategy);

  const shapes: Readonly<Record<OthersJob["shape"], RunOthers>> = {
    async enqueue(job) {
      let controller!: ReadableStreamDefaultController<Uint8Array>;
      const start = (own: ReadableStreamDefaultController<Uint8Array>) => void (controller = own);
      const stream = new classes.ReadableStream(
        { type: "bytes", start } as unknown as UnderlyingByteSource,
      );
      for (let count = 0; count < job.chunks; count++) controller.enqueue(job.chunk.slice());
      controller.close();
      await read(stream as ReadableStream<Uint8Array>, job);
    },
    async iterate(job) {
      const stream = open(job) as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>;
      for await (const chunk of stream) job.take(chunk);
    },
    async pipe(job) {
      await open(job).pipeTo(sink(job));
    },
    async read(job) {
      await read(open(job), job);
    },
    async tee(job) {
      const branches = [open(job)];
      while (branches.length < job.readers) branches.push(...branches.shift()!.tee());
      await Promise.all(branches.map((branch) => read(branch, job)));
    },
    async "tee-in-turn"(job) {
      for (const branch of open(job).tee()) await read(branch, job);
    },
    async write(job) {
      const writer = sink(job).getWriter();
      for (let count = 0; count < job.chunks; count++) await writer.write(job.chunk);
      await writer.close();
    },
  };
  return (job) => shapes[job.shape](job);
}
