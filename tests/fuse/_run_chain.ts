import { compose, fuse, pipeline } from "@hosepipe/streams";
import { buildStage } from "./_build_stage.ts";
import type { ChainDescription, StrategyDescription } from "./_chain_description.ts";
import { newOutcome, type Outcome } from "./_outcome.ts";
import { jitter, Recorder, text } from "./_recorder.ts";
import { calmDown, settles } from "./_settle.ts";

type Pair = ReadableWritablePair<unknown, unknown>;
type Stages = Transformer<unknown, unknown>[];

/** The chunks that a chain's source gives; some end a line. */
export function sourceChunks({ source }: ChainDescription): string[] {
  return Array.from({ length: source.count }, (_, i) => i % 3 === 2 ? `c${i}\nd` : `c${i}`);
}

function strategyOf(
  { highWaterMark, size }: StrategyDescription,
): QueuingStrategy<unknown> | undefined {
  if (highWaterMark === undefined) return undefined;
  if (size === undefined) return { highWaterMark };
  return { highWaterMark, size: (chunk) => text(chunk).length % 2 === 0 ? size : 1 };
}

function nativePair(chain: ChainDescription, stages: Stages): Pair {
  const last = stages.length - 1;
  const pairs = stages.map((stage, index) =>
    new TransformStream(
      stage,
      index === 0 ? strategyOf(chain.writableStrategy) : undefined,
      index === last ? strategyOf(chain.readableStrategy) : undefined,
    )
  );
  const { writable } = pairs[0]!;
  const readable = pairs.slice(1).reduce(
    (readable: ReadableStream<unknown>, pair) => readable.pipeThrough(pair),
    pairs[0]!.readable,
  );
  return { readable, writable };
}

function fusedPair(chain: ChainDescription, stages: Stages): Pair {
  return fuse(
    ...stages as [Stages[0]],
    {
      writableStrategy: strategyOf(chain.writableStrategy),
      readableStrategy: strategyOf(chain.readableStrategy),
    },
  );
}

function composedPair(chain: ChainDescription, stages: Stages): Pair {
  return new TransformStream(
    compose(stages),
    strategyOf(chain.writableStrategy),
    strategyOf(chain.readableStrategy),
  );
}

const pairMakers = { native: nativePair, fuse: fusedPair, compose: composedPair };

async function write(chain: ChainDescription, outcome: Outcome, writable: WritableStream) {
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  try {
    for (const chunk of sourceChunks(chain)) {
      if (chain.source.shape === 0) await writer.ready;
      const written = writer.write(chunk);
      written.catch(() => {});
      if (chain.source.shape === 2) await written;
      await jitter(chain.source.delay);
      outcome.reads++;
    }
  } catch {
    // What failed is told by the readable side.
  }
  await writer.abort(outcome.recorder.reason("source", chain.source.kind)).catch(() => {});
}

function openSource(chain: ChainDescription, outcome: Outcome): ReadableStream<unknown> {
  const { recorder } = outcome;
  const { delay, ending, kind, highWaterMark } = chain.source;
  const chunks = sourceChunks(chain);
  return new ReadableStream({
    pull(controller) {
      recorder.touch();
      const act = () => {
        if (outcome.reads < chunks.length) controller.enqueue(chunks[outcome.reads++]);
        else {
          outcome.hasSourceEnded = true;
          if (ending === "close") controller.close();
          else controller.error(recorder.reason("source", kind));
        }
      };
      if (delay === 0) act();
      else return jitter(delay).then(() => outcome.sourceCancel === undefined ? act() : undefined);
    },
    cancel(reason) {
      recorder.touch();
      outcome.hasSourceEnded = true;
      outcome.sourceCancel = recorder.label(reason);
    },
    // An error drops what waits in the source's own queue, which is no concern of the chain.
  }, { highWaterMark: ending === "close" ? highWaterMark : 0 });
}

async function consume(
  { consumer }: ChainDescription,
  outcome: Outcome,
  readable: ReadableStream<unknown>,
) {
  const { recorder } = outcome;
  const reader = readable.getReader();
  try {
    while (outcome.chunks.length !== consumer.cancelAfter) {
      const { done, value } = await reader.read();
      recorder.touch();
      if (done) {
        outcome.end = { how: "closed" };
        return;
      }
      outcome.chunks.push(text(value));
      await jitter(consumer.delay);
    }
  } catch (reason) {
    outcome.end = { how: "failed", label: recorder.label(reason) };
    return;
  }
  outcome.end = { how: "cancelled" };
  await reader.cancel(recorder.reason("consumer", consumer.kind)).catch(() => {});
}

/** Runs a chain between native ends. */
export async function runPair(
  way: "native" | "fuse" | "compose",
  chain: ChainDescription,
): Promise<Outcome> {
  const recorder = new Recorder(chain.stages.length);
  const outcome = newOutcome(recorder);
  let pair: Pair;
  try {
    const stages = chain.stages.map((stage, index) => buildStage(stage, index, recorder));
    pair = pairMakers[way](chain, stages);
  } catch (reason) {
    outcome.thrown = recorder.label(reason);
    await calmDown(recorder);
    return outcome;
  }
  let readable = pair.readable;
  if (chain.source.ending === "abort") void write(chain, outcome, pair.writable);
  else readable = openSource(chain, outcome).pipeThrough(pair);
  await settles(consume(chain, outcome, readable), recorder);
  await calmDown(recorder);
  return outcome;
}

function pipelineSource(chain: ChainDescription, outcome: Outcome) {
  const { source } = chain;
  const { recorder } = outcome;
  const chunks = sourceChunks(chain);
  if (source.shape === 2) return openSource(chain, outcome);
  const next = () => {
    recorder.touch();
    if (outcome.reads < chunks.length) return { done: false, value: chunks[outcome.reads++]! };
    outcome.hasSourceEnded = true;
    if (source.ending !== "close") throw recorder.reason("source", source.kind);
    return { done: true, value: undefined };
  };
  const end = () => {
    outcome.hasSourceEnded = true;
    return { done: true, value: undefined };
  };
  return source.shape === 0 ? { [Symbol.iterator]: () => ({ next, return: end }) } : {
    [Symbol.asyncIterator]: () => ({ next: () => jitter(source.delay).then(next), return: end }),
  };
}

/** Runs a chain by `pipeline`; a consumer that cancels is a sink that throws. */
export async function runPipeline(chain: ChainDescription): Promise<Outcome> {
  const recorder = new Recorder(chain.stages.length);
  const outcome = newOutcome(recorder);
  const { cancelAfter, delay, kind, isStream } = chain.consumer;
  const take = (chunk: unknown): void | Promise<void> => {
    recorder.touch();
    if (outcome.end.how === "cancelled") {
      recorder.faults.push("the sink was written to after it failed");
    }
    if (outcome.chunks.length === cancelAfter) {
      outcome.end = { how: "cancelled" };
      throw recorder.reason("consumer", kind);
    }
    outcome.chunks.push(text(chunk));
    if (delay > 0) return jitter(delay);
  };
  const sink = isStream ? new WritableStream({ write: take }) : take;
  const stages = chain.stages.map((stage, index) => buildStage(stage, index, recorder));
  const run = pipeline(
    pipelineSource(chain, outcome) as Iterable<unknown>,
    ...stages as [Stages[0]],
    sink,
  );
  const end = run.then(
    ({ chunksRead, chunksWritten }) => {
      outcome.end = { how: "closed" };
      // A stream reads ahead for its own queue, and what is read as a stage ends early enters no more.
      const ahead = chain.source.shape === 2 ? chain.source.highWaterMark + 1 : 1;
      const isReadRight = chunksRead <= outcome.reads && outcome.reads <= chunksRead + ahead;
      if (!isReadRight || chunksWritten !== outcome.chunks.length) {
        recorder.faults.push(`pipeline counted ${chunksRead} and ${chunksWritten}`);
      }
    },
    (reason) => {
      const label = recorder.label(reason);
      outcome.end = { how: outcome.end.how === "cancelled" ? "cancelled" : "failed", label };
    },
  );
  if (!await settles(end, recorder)) outcome.end = { how: "hung" };
  await calmDown(recorder);
  return outcome;
}
