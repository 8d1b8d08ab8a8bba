import { settle } from "./settle.ts";
import type { Happening } from "./happening.ts";
import { PropagationLog } from "./propagation_log.ts";

/** Plays one happening on native Web streams connected by `pipeThrough` and `pipeTo`. */
export async function propagateInWeb(happening: Happening): Promise<PropagationLog> {
  const log = new PropagationLog();
  const { reason } = log;
  const failAt = (stage: Happening) => {
    if (happening === stage) throw reason;
  };
  let count = 0;
  let sinkController!: WritableStreamDefaultController;
  const source = new ReadableStream<number>({
    pull(controller) {
      // A failure comes after some chunks, an early end before all of them.
      if (count === 2) failAt("source fails");
      controller.enqueue(count++);
    },
    cancel: (why) => log.record("source", "cancel", why),
  }, { highWaterMark: 2 });
  const transform: Transformer<number, number> & { cancel(reason: unknown): void } = {
    transform(chunk, controller) {
      if (chunk === 2) failAt("transf. fails");
      controller.enqueue(chunk);
    },
    flush: () => log.record("transf.", "flush"),
    cancel: (why) => log.record("transf.", "cancel", why),
  };
  const output = source.pipeThrough(
    new TransformStream(transform, undefined, { highWaterMark: 2 }),
  );

  if (happening === "cancel" || happening === "break") {
    if (happening === "cancel") {
      await settle();
      await output.cancel(reason);
    } else for await (const _ of output) break;
    await settle();
    return log;
  }

  const abort = new AbortController();
  const sink = new WritableStream<number>({
    start: (controller) => void (sinkController = controller),
    async write(chunk) {
      await settle();
      if (chunk === 1) failAt("sink fails");
    },
    close: () => log.record("sink", "close"),
    abort: (why) => log.record("sink", "abort", why),
  });
  const piping = output.pipeTo(sink, { signal: abort.signal }).then(
    () => log.record("caller", "fulfilled"),
    (why) => log.record("caller", "rejected", why),
  );
  if (happening === "signal" || happening === "sink ends") {
    await settle();
    if (happening === "signal") abort.abort(reason);
    else sinkController.error(reason);
  }
  await piping;
  await settle();
  return log;
}
