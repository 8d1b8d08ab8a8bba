import { Worker } from "node:worker_threads";
import { wholeLines } from "../batches.ts";
import type { RunThreads } from "../job.ts";

const module = new URL("../modules/transferred_task.ts", import.meta.url);
let threads: Worker[] | undefined;

/** A stream to a thread and one back: each chunk is a message of its own. */
function connect(thread: Worker, kind: string) {
  const [there, back] = [new TransformStream(), new TransformStream()];
  const ends = { kind, readable: there.readable, writable: back.writable };
  thread.postMessage(ends, [there.readable, back.writable] as never);
  return { writer: there.writable.getWriter(), reader: back.readable.getReader() };
}

export const transferred: RunThreads = async (job) => {
  const { kind, chunks, take } = job;
  threads ??= Array.from({ length: job.threads }, () => {
    const worker = new Worker(module);
    worker.unref();
    return worker;
  });
  const ends = threads.map((thread) => connect(thread, kind));
  const send = async () => {
    let index = 0;
    for (const chunk of kind === "ndjson" ? wholeLines(chunks as Uint8Array[]) : chunks) {
      const { writer } = ends[index++ % ends.length]!;
      await writer.ready;
      void writer.write(chunk);
    }
    for (const { writer } of ends) await writer.close();
  };
  const receive = async () => {
    for (let index = 0;; index++) {
      const { done, value } = await ends[index % ends.length]!.reader.read();
      if (done) return;
      take(value);
    }
  };
  // Streams that were handed over keep no process alive.
  for (const thread of threads) thread.ref();
  await Promise.all([send(), receive()]);
  for (const thread of threads) thread.unref();
};
