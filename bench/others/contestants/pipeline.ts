import { channel, pipeline as runPipeline, share } from "../../../mod.ts";
import type { OthersJob, RunOthers } from "../job.ts";
import { pullSource, transformerOf } from "../web_shapes.ts";

function open(job: OthersJob, strategy?: QueuingStrategy): ReadableStream<Uint8Array> {
  const source = pullSource(job);
  return job.isBytes
    ? new ReadableStream({ ...source, type: "bytes" } as UnderlyingByteSource, strategy)
    : new ReadableStream(source, strategy);
}

const stagesOf = ({ stages }: OthersJob): Transformer<Uint8Array, Uint8Array>[] =>
  stages.flatMap((work) => work === "gzip" ? [] : [transformerOf(work)]);

/** Made for each run, since a native pair serves once. */
const pairsOf = ({ stages }: OthersJob) =>
  stages.includes("gzip")
    ? [new CompressionStream("gzip"), new DecompressionStream("gzip")] as const
    : [];

async function pipe(job: OthersJob, strategy?: QueuingStrategy): Promise<void> {
  const sink = new WritableStream<Uint8Array>({ write: (chunk) => job.take(chunk) }, strategy);
  // deno-lint-ignore no-explicit-any -- as many stages as the row has
  await (runPipeline as any)(open(job, strategy), ...pairsOf(job), ...stagesOf(job), sink);
}

const shapes: Readonly<Partial<Record<OthersJob["shape"], RunOthers>>> = {
  async enqueue(job) {
    let controller!: ReadableByteStreamController;
    const start = (own: ReadableByteStreamController) => void (controller = own);
    const stream = new ReadableStream({ type: "bytes", start } as UnderlyingByteSource);
    for (let count = 0; count < job.chunks; count++) controller.enqueue(job.chunk.slice());
    controller.close();
    await runPipeline(stream, job.take);
  },
  pipe: (job) => pipe(job),
  async tee(job) {
    const branches = share(open(job), job.readers);
    await Promise.all(branches.map((branch) => runPipeline(branch, job.take)));
  },
  async write({ chunk, chunks, take }) {
    const { readable, send, close } = channel<Uint8Array>();
    const sent = async () => {
      for (let count = 0; count < chunks; count++) await send(chunk);
      close();
    };
    await Promise.all([sent(), runPipeline(readable, take)]);
  },
};

async function read(job: OthersJob): Promise<void> {
  // deno-lint-ignore no-explicit-any -- as many stages as the row has
  await (runPipeline as any)(open(job), ...pairsOf(job), ...stagesOf(job), job.take);
}

/** Between ends as theirs: a native source, and a native sink where they have one. */
export const pipeline: RunOthers = (job) => (shapes[job.shape] ?? read)(job);

/** The same, and each end holds 16 chunks. */
export const pipeline16: RunOthers = (job) => pipe(job, { highWaterMark: 16 });
