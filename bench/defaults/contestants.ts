import type { Contestant } from "../measure/workload.ts";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { Readable, Transform, type Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What is done with rows. */
export const jobNames = ["file", "gzip", "response", "body", "bytes"] as const;
/** One of {@linkcode jobNames}. */
export type JobName = (typeof jobNames)[number];

/** A row as a query gives it. */
export interface Row {
  readonly id: number;
  readonly name: string;
  readonly total: number;
}

/** Rows that become lines of JSON. */
interface Job {
  rows(): Iterable<Row>;
  /** Where `file` and `gzip` write to. */
  readonly outputPath: string;
}

/** Does a job; `response`, `body` and `bytes` give the bytes, or how many a client was sent. */
type RunJob = (job: Job) => Promise<Uint8Array | void>;

/** What a contestant can do, by the job's name. */
export type Jobs = Partial<Record<JobName, RunJob>>;

/** Has `write` answer one request of `node:http`; gives what the client read. */
async function answer(
  write: (response: ServerResponse) => Promise<unknown>,
): Promise<Uint8Array> {
  const server = createServer((_, response) => {
    write(response).catch((error) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve, reject) => {
      get({ port, host: "127.0.0.1", agent: false }, (message) => resolve(buffer(message)))
        .on("error", reject);
    });
  } finally {
    server.close();
  }
}

/** The jobs with what makes lines of rows, and bytes of them for a body. */
async function ours(
  toLines: () => Transformer<unknown, string | Uint8Array>,
  toBody: () => Transformer<unknown, Uint8Array>,
): Promise<Jobs> {
  const { iterate, pipeline, reader, toBytes } = await import("../../mod.ts");
  const { fromNode } = await import("../../node_compat/mod.ts");
  const toFile = (path: string) => fromNode(createWriteStream(path), { as: "writable" });
  return {
    async file({ rows, outputPath }) {
      await pipeline(rows(), toLines(), toFile(outputPath));
    },
    async gzip({ rows, outputPath }) {
      const gzip = fromNode<Uint8Array>(createGzip(), { as: "pair" });
      await pipeline(rows(), toLines(), gzip, toFile(outputPath));
    },
    response: ({ rows }) =>
      answer((response) => pipeline(rows(), toLines(), fromNode(response, { as: "writable" }))),
    body({ rows }) {
      return new Response(reader(iterate(rows(), toBody()), { highWaterMark: 0 })).bytes();
    },
    bytes: ({ rows }) => toBytes(rows(), toLines()),
  };
}

/** Every contestant of defaults. */
export const contestants: readonly Contestant<Jobs>[] = [
  {
    name: "hand",
    about: "control: a loop that joins lines into blocks of 64 KiB",
    set: "publish",
    load: () => {
      const blockLength = 65_536;

      function* blocksOf({ rows }: Job): Generator<string> {
        let block = "";
        for (const row of rows()) {
          block += `${JSON.stringify(row)}\n`;
          if (block.length < blockLength) continue;
          yield block;
          block = "";
        }
        yield block;
      }

      async function write(job: Job, stream: Writable): Promise<void> {
        for (const block of blocksOf(job)) if (!stream.write(block)) await once(stream, "drain");
        stream.end();
        await once(stream, "finish");
      }
      return {
        file: (job) => write(job, createWriteStream(job.outputPath)),
        async gzip(job) {
          const gzip = createGzip();
          await Promise.all([write(job, gzip), pipeline(gzip, createWriteStream(job.outputPath))]);
        },
        response: (job) => answer((response) => write(job, response)),
        body(job) {
          const encoder = new TextEncoder();
          const blocks = blocksOf(job);
          const body = new ReadableStream({
            pull(controller) {
              const { done, value } = blocks.next();
              if (done) controller.close();
              else controller.enqueue(encoder.encode(value));
            },
          }, { highWaterMark: 0 });
          return new Response(body).bytes();
        },
        bytes: (job) => Promise.resolve(new TextEncoder().encode([...blocksOf(job)].join(""))),
      };
    },
  },
  {
    name: "docs",
    about: "hosepipe, as its documentation writes the job",
    set: "publish",
    load: async () => {
      const { compose, encode, formatNdjson } = await import("../../mod.ts");
      return await ours(formatNdjson, () => compose(formatNdjson(), encode({ maxWaitMs: 0 })));
    },
  },
  {
    name: "blocks",
    about: "hosepipe with one stage more, encode(), which holds rows until a block is full",
    set: "publish",
    load: async () => {
      const { compose, encode, formatNdjson } = await import("../../mod.ts");
      const toBlocks = () => compose(formatNdjson(), encode());
      return await ours(toBlocks, toBlocks);
    },
  },
  {
    name: "node",
    about: "node:stream: Readable.from, a Transform, pipeline",
    set: "publish",
    takes: ({ job }) => job !== "body",
    load: () => {
      const toLines = () =>
        new Transform({
          writableObjectMode: true,
          transform: (row, _encoding, done) => done(null, `${JSON.stringify(row)}\n`),
        });
      return {
        file: ({ rows, outputPath }) =>
          pipeline(Readable.from(rows()), toLines(), createWriteStream(outputPath)),
        gzip: ({ rows, outputPath }) =>
          pipeline(Readable.from(rows()), toLines(), createGzip(), createWriteStream(outputPath)),
        response: ({ rows }) =>
          answer((response) => pipeline(Readable.from(rows()), toLines(), response)),
        bytes: ({ rows }) => buffer(Readable.from(rows()).pipe(toLines())),
      };
    },
  },
  {
    name: "stream-chain",
    about: "its gen, pipe and file edge",
    package: "stream-chain",
    set: "publish",
    takes: ({ job }) => job === "file",
    load: async () => {
      const { default: gen } = await import("stream-chain/gen.js");
      const { default: stringerToFile } = await import("stream-chain/jsonl/file/stringer.js");
      const { default: drain } = await import("stream-chain/utils/drain.js");
      const { default: pipe } = await import("stream-chain/utils/pipe.js");

      return {
        async file({ rows, outputPath }) {
          await drain(pipe(gen(() => rows()), stringerToFile(outputPath))(undefined));
        },
      };
    },
  },
];
