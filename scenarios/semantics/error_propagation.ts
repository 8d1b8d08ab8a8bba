import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type FactTable, type SemanticsProbe, settle } from "./probe.ts";

/** Which hooks of each party of a pipeline were called at its end, in their order. */
class PropagationLog {
  /** What the failure, the cancellation or the abort was given as its reason. */
  readonly reason: Error = new Error("the reason");
  #isClosed = false;
  readonly #calls = new Map<string, string[]>();

  /** From now on nothing is recorded: what is called in taking the pipeline down is no answer. */
  close(): void {
    this.#isClosed = true;
  }

  /** Records that `party` was called by the name of `hook`, with a reason if there are more arguments. */
  record(party: string, hook: string, ...reasons: unknown[]): void {
    if (this.#isClosed) return;
    const words = this.#calls.get(party) ?? [];
    this.#calls.set(party, words);
    const described = reasons.length === 0 ? "" : this.#describe(reasons[0]);
    // An error event belongs to the destruction before it if its reason is that one's.
    if (hook === "error" && words.at(-1) === `destroyed${described}`) words.pop();
    words.push(hook + described);
  }

  /** A party's calls, in order. */
  of(party: string): string {
    return this.#calls.get(party)?.join("; ") ?? "nothing";
  }

  #describe(reason: unknown): string {
    if (reason === this.reason) return " as is";
    if (reason === undefined || reason === null) return ", no reason";
    const { cause, code, name } = reason as { cause?: unknown; code?: unknown; name?: string };
    if (cause === this.reason) return ", wrapped";
    return `, ${typeof code === "string" ? code : name ?? typeof reason}`;
  }
}

/** How a pipeline may end other than by its source's end. */
const happenings = [
  "source fails",
  "transf. fails",
  "sink fails",
  "cancel",
  "break",
  "signal",
  "sink ends",
] as const;

/** One of these ways. */
type Happening = (typeof happenings)[number];

/** Whether the output is piped on, and not read. */
const hasSink = (happening: Happening) => happening !== "cancel" && happening !== "break";

/** Plays one happening on native Web streams connected by `pipeThrough` and `pipeTo`. */
async function propagateInWeb(happening: Happening): Promise<PropagationLog> {
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

  if (!hasSink(happening)) {
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
    () => log.record("caller", "fulfils"),
    (why) => log.record("caller", "rejects", why),
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

type Callback = (error?: Error | null) => void;

/** Plays one happening on node streams connected by `pipe` or `pipeline`. */
async function propagateInNode(
  happening: Happening,
  way: "pipe" | "pipeline",
): Promise<PropagationLog> {
  const log = new PropagationLog();
  const { reason } = log;
  const destroyOf = (party: string) => (error: Error | null, callback: Callback) => {
    log.record(party, "destroyed", error);
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
    stream.on("error", (error) => log.record(party, "error", error));
  }

  const abort = new AbortController();
  const streams = hasSink(happening) ? [source, transformer, sink] : [source, transformer];
  if (way === "pipe") {
    source.pipe(transformer);
    if (hasSink(happening)) transformer.pipe(sink);
  } else {
    pipeline(...streams as [Readable, Transform, Writable], { signal: abort.signal }).then(
      () => log.record("caller", "fulfils"),
      (error) => log.record("caller", "rejects", error),
    );
  }
  if (happening === "break") {
    // Leaving the loop destroys what is read; with pipeline an error may come out of it.
    try {
      for await (const _ of transformer) break;
    } catch (error) {
      log.record("caller", "throws", error);
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

async function measure(): Promise<FactTable> {
  const table: Record<string, FactTable[string]> = {};
  for (const happening of happenings) {
    const web = await propagateInWeb(happening);
    // What is only piped has no signal.
    const pipe = happening === "signal" ? undefined : await propagateInNode(happening, "pipe");
    const pipeline = await propagateInNode(happening, "pipeline");
    for (const party of ["source", "transf.", "sink", "caller"]) {
      if (party === "sink" && !hasSink(happening)) continue;
      table[`${happening}: ${party}`] = {
        "web": web.of(party),
        "node, pipe": pipe?.of(party) ?? "none",
        "node, pipeline": pipeline.of(party),
      };
    }
  }
  return table;
}

/** Who learns of an end that is not the usual one. */
export const errorPropagationProbe: SemanticsProbe = {
  name: "error-propagation",
  question: "Who learns of an error, a cancellation, an abort, an early exit?",
  corner: "what happens: who",
  note:
    "'as is': with the very reason; 'wrapped': it is the cause of another. 'error': destroyed, with an " +
    "error event; 'destroyed': without one. break: out of 'for await' over the output.",
  measure,
};
