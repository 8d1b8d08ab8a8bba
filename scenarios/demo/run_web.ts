import { probe } from "../../src/inspect/mod.ts";
import { writer } from "../../src/sinks/writer.ts";
import { lastAdmittingSink } from "../concurrency/last_admitting_sink.ts";
import type { DemoRun } from "./demo_run.ts";

/** Runs a demo on Web Streams. */
export async function runWeb({ demo, work, clock, tracker, signal }: DemoRun): Promise<void> {
  const { highWaterMark, batchSize, concurrency } = demo;
  const strategy = { highWaterMark };
  const look = probe({
    capacity: 0,
    identify: String,
    onEvent: (event) => tracker.take(event),
    onAnswer: (answer) => tracker.takeAnswer(answer),
    now: () => clock.now(),
  });
  const messages = work.messages();
  const readable = new ReadableStream(
    look.reader<string>({
      pull(controller) {
        for (let count = 0; count < batchSize; count++) {
          const { done, value } = messages.next();
          if (done) return controller.close();
          controller.enqueue(value);
        }
      },
    }, { strategy }),
    strategy,
  );
  const stage = look.transformer<string, string>({
    transform: (message, controller) => controller.enqueue(message),
  }, { writableStrategy: strategy, readableStrategy: strategy });
  const transformed = readable.pipeThrough(new TransformStream(stage, strategy, strategy));
  if (demo.writer === "none") {
    await clock.run(undefined);
    tracker.stop();
    await transformed.cancel();
    return;
  }
  const sink = look.writer<string>({ write: () => work.write() }, { strategy });
  const options = { ...strategy, concurrency, close: sink.close };
  const writable = concurrency === 1
    ? new WritableStream(sink, strategy)
    : demo.admit === "any"
    ? writer(sink.write, options)
    : new WritableStream(lastAdmittingSink(sink.write, concurrency, sink.close), strategy);
  await clock.run(transformed.pipeTo(writable, { signal }));
  tracker.stop();
}
