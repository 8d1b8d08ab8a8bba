import type { Readable, Transform, Writable } from "node:stream";
import { probe } from "../../node_compat/probe.ts";
import { reader } from "../../node_compat/reader.ts";
import { sinkWritable } from "../../node_compat/sink_side.ts";
import { transformer } from "../../node_compat/transformer.ts";
import { writer } from "../../node_compat/writer.ts";
import { lastAdmittingSink } from "../concurrency/last_admitting_sink.ts";
import type { DemoRun } from "./demo_run.ts";

/**
 * Writes whatever `source` gives, in the style of event emitters: without a stream of its own, so without a buffer,
 * it pauses the source while `concurrency` writes are in flight, and any write that finishes lets it flow on.
 */
function listeningWriter(
  source: Readable,
  write: (chunk: string) => void | PromiseLike<void>,
  concurrency: number,
  close: () => void | PromiseLike<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let inFlight = 0;
    let hasEnded = false;
    const endIfDone = (): void => {
      if (hasEnded && inFlight === 0) Promise.resolve(close()).then(resolve, reject);
    };
    source.on("data", (chunk: string) => {
      const writing = write(chunk);
      if (writing === undefined) return;
      inFlight++;
      if (inFlight === concurrency) source.pause();
      writing.then(() => {
        inFlight--;
        source.resume();
        endIfDone();
      }, reject);
    });
    source.on("end", () => {
      hasEnded = true;
      endIfDone();
    });
    source.on("error", reject);
  });
}

function ended(...streams: (Readable | Transform | Writable)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    for (const stream of streams) stream.on("error", reject);
    streams.at(-1)!.on("close", resolve);
  });
}

/** Runs a demo on node streams. */
export async function runNode({ demo, work, clock, tracker, signal }: DemoRun): Promise<void> {
  const { highWaterMark, batchSize, concurrency, admit } = demo;
  const look = probe({
    capacity: 0,
    identify: String,
    onEvent: (event) => tracker.take(event),
    onAnswer: (answer) => tracker.takeAnswer(answer),
    now: () => clock.now(),
  });
  const source = look.reader(reader(work.messages(), { highWaterMark, batchSize }));
  const stage = look.transformer(transformer<string, string>({
    transform: (message, controller) => controller.enqueue(message),
  }, { highWaterMark }));
  const streams: (Readable | Transform | Writable)[] = [source, stage];
  const stop = (): void => {
    tracker.stop();
    for (const stream of streams) stream.destroy();
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (demo.writer === "none") {
      source.pipe(stage);
      await clock.run(undefined);
      return;
    }
    const sink = look.writer<string>({ write: () => work.write() });
    if (concurrency > 1 && admit === "any") {
      source.pipe(stage);
      await clock.run(listeningWriter(stage, sink.write, concurrency, sink.close));
      return;
    }
    const close = (): void => void sink.close();
    const destination = look.writer(
      admit === "any"
        ? writer(sink.write, { highWaterMark, concurrency, close })
        : sinkWritable(lastAdmittingSink(sink.write, concurrency, close), highWaterMark),
    );
    streams.push(destination);
    const end = ended(...streams);
    source.pipe(stage).pipe(destination);
    await clock.run(end);
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}
