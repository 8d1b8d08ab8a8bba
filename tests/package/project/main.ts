import {
  filter,
  fuse,
  lines,
  map,
  merge,
  pipeline,
  type PipelineResult,
  reader,
  type Transformer,
} from "@hosepipe/streams";
import { fileHandler, sendFile, type SendFileOptions } from "@hosepipe/streams/files";
import { fileHandler as nodeFileHandler } from "@hosepipe/streams/node";
import { reader as nodeReader, toNode, transformer, writer } from "@hosepipe/streams/node";
import {
  Consumer,
  messages,
  type Output,
  perMessage,
  type QueueSource,
  stored,
} from "@hosepipe/streams/queue";
import { natsQueue } from "@hosepipe/streams/queue/nats";
import { postgresQueue } from "@hosepipe/streams/queue/postgres";
import { redisQueue } from "@hosepipe/streams/queue/redis";
import { sqliteQueue } from "@hosepipe/streams/queue/sqlite";
import {
  expectDiagram,
  record,
  replay,
  testSink,
  testSource,
  type VirtualTime,
  virtualTime,
} from "@hosepipe/streams/testing";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { Readable, Writable } from "node:stream";

export const result: PipelineResult = await pipeline(
  ["1\n2\n"],
  lines(),
  map((line) => Number(line)),
  filter((n) => n.toFixed().length > 0),
  (n) => void n.toFixed(),
);
export const elapsedMs: number = result.elapsedMs;

export const fused: ReadableWritablePair<number, string | Uint8Array> = fuse(
  lines(),
  map((line) => line.length),
);
export const numbers: Readable = nodeReader([1, 2]);
export const lengths: Readable = toNode(fused.readable);

await pipeline(
  ["a"],
  map((text: string) => text.length),
  // @ts-expect-error -- the stage before it gives numbers
  map((text: string) => text.toUpperCase()),
  (text: string) => void text,
);

fuse(
  map((n: number) => n > 0),
  // @ts-expect-error -- the stage before it gives booleans
  map((n: number) => n + 1),
);

// @ts-expect-error -- the sink is given numbers
await pipeline(["a"], map((text: string) => text.length), (text: string) => void text);

// @ts-expect-error -- an unknown option
writer(() => {}, { concurrent: 2 });

export const twin = transformer(map((n: number) => `${n}`));

const ownStage: Transformer<number, string> = {
  transform: (n, controller) => controller.enqueue(n.toFixed()),
  cancel: (reason) => console.log(reason),
};
export const native: TransformStream<number, string> = new TransformStream(ownStage);
export const digits: ReadableStream<string> = reader([1, 2])
  .pipeThrough(new TransformStream(map((n) => `${n}`)));

export const files: (request: Request) => Promise<Response> = fileHandler("public", {
  spa: true,
  cacheControl: (path) => path.toUpperCase(),
  onError: (error, request) => console.error(request.url, error),
});
const sending: SendFileOptions = { precompressed: true };
export const send: Promise<Response> = sendFile(new Request("http://a/"), "a.txt", sending);
export const server = createServer(nodeFileHandler("public", {
  fallthrough: false,
  onError: (error, request) => console.error(request.rawHeaders, error),
}));

// @ts-expect-error -- an unknown option
fileHandler("public", { dotfile: "allow" });

// @ts-expect-error -- one file is no folder
sendFile(new Request("http://a/"), "a.txt", { index: "a.html" });

const jobs: QueueSource<string> = sqliteQueue(new DatabaseSync(":memory:"), { table: "jobs" });
const consumer: Consumer<string> = new Consumer(jobs, { maxInFlight: 16 });
await pipeline(
  messages(consumer),
  perMessage(lines(), map((line: string) => line.length), { concurrency: 2 }),
  stored(consumer, (outputs: readonly Output<number>[]) => void outputs[0]!.key.length),
);

// @ts-expect-error -- a queue in SQLite has a table
sqliteQueue(new DatabaseSync(":memory:"), {});

// @ts-expect-error -- a database is no client
natsQueue(new DatabaseSync(":memory:"), { stream: "jobs", consumer: "rows" });

// @ts-expect-error -- a file is no server
postgresQueue(new DatabaseSync(":memory:"), { table: "jobs" });

// @ts-expect-error -- a file is no server
redisQueue(new DatabaseSync(":memory:"), { key: "jobs" });

await using time: VirtualTime = virtualTime({ startsAt: 0 });
export const settled: string = await time.run(Promise.resolve("settled"));

const source = testSource<string>({ size: (text) => text.length });
// @ts-expect-error -- a source of text gives no number
source.give(5);
export const nodeReadable: Readable = testSource<string>().toNode(Readable);
export const nodeWritable: Writable = testSink<string>().toNode(Writable);
export const chunk: string = await testSink<string>().next();
await expectDiagram(map(String), { in: "a|", out: "a|" });
await expectDiagram((one, other) => merge(one, other), { in: ["a|", "b|"], out: "(ab)|" });
// @ts-expect-error -- a number is no stage
await expectDiagram(5, { in: "", out: "" });
const { recording } = await record((ends) => pipeline(ends.source([1]), ends.sink(() => {})));
export const written: readonly unknown[] = await replay(recording, ({ written }) => written);
