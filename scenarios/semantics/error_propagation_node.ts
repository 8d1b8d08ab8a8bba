import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { settle } from "./settle.ts";
import type { Happening } from "./happening.ts";
import { PropagationLog } from "./propagation_log.ts";

type Callback = (error?: Error | null) => void;

/** Plays one happening on node streams connected by `pipe` or `pipeline`. */
export async function propagateInNode(
  happening: Happening,
  way: "pipe" | "pipeline",
): Promise<PropagationLog> {
  const log = new PropagationLog();
  const { reason } = log;
  const destroyOf = (party: string) => (error: Error | null, callback: Callback) => {
    log.record(party, "destroy", error);
    callback(error);
  };
  let count = 0;
  const source = new Readable({
    objectMode: true,
    highWaterMark: 2,
    read() {
      if (count === 2 && happening === "source fails") this.destroy(reason);
      else this.push(count++);
    },
    destroy: destroyOf("source"),
  });
  const transformer = new Transform({
    objectMode: true,
    highWaterMark: 2,
    transform(chunk, _encoding, callback) {
      if (chunk === 2 && happening === "transf. fails") callback(reason);
      else callback(null, chunk);
    },
    flush(callback) {
      log.record("transf.", "flush");
      callback();
    },
    destroy: destroyOf("transf."),
  });
  const sink = new Writable({
    objectMode: true,
    highWaterMark: 2,
    write(chunk, _encoding, callback) {
      settle().then(() => callback(chunk === 1 && happening === "sink fails" ? reason : null));
    },
    final(callback) {
      log.record("sink", "final");
      callback();
    },
    destroy: destroyOf("sink"),
  });
  const parties = { source, "transf.": transformer, sink };
  for (const [party, stream] of Object.entries(parties)) {
    stream.on("error", (error) => log.recordErrorEvent(party, error));
  }

  const hasSink = happening !== "cancel" && happening !== "break";
  const abort = new AbortController();
  const streams = hasSink ? [source, transformer, sink] : [source, transformer];
  if (way === "pipe") {
    source.pipe(transformer);
    if (hasSink) transformer.pipe(sink);
  } else {
    pipeline(...streams as [Readable, Transform, Writable], { signal: abort.signal }).then(
      () => log.record("caller", "fulfilled"),
      (error) => log.record("caller", "rejected", error),
    );
  }
  if (happening === "break") {
    // Leaving the loop destroys what is read; with pipeline an error may come out of it.
    try {
      for await (const _ of transformer) break;
    } catch (error) {
      log.record("caller", "thrown", error);
    }
  } else {
    await settle();
    if (happening === "cancel") transformer.destroy(reason);
    if (happening === "signal") abort.abort(reason);
    if (happening === "sink ends") sink.destroy(reason);
  }
  // Two writes of some turns each come before the failure of the sink.
  for (let times = 0; times < 4; times++) await settle();
  log.close();
  for (const stream of Object.values(parties)) stream.destroy();
  return log;
}
