import type { Readable, Writable } from "node:stream";
import { destroyStream } from "../src/source/node_stream_end.ts";

interface Sources {
  readonly piped: Set<Readable>;
  ended: boolean;
}

const sourcesOf = new WeakMap<object, Sources>();
const stopped = new WeakSet<object>();

function stop(source: Readable, destination: Writable): void {
  source.unpipe(destination);
  stopped.add(source);
  for (const before of sourcesOf.get(source)?.piped ?? []) stop(before, source as never);
  void destroyStream(source);
}

/** Remembers what is piped into `stream`, so that {@linkcode endEarly} can stop it. */
export function trackSources(stream: Writable): void {
  const sources: Sources = { piped: new Set(), ended: false };
  sourcesOf.set(stream, sources);
  stream.on("pipe", (source: Readable) => {
    if (sources.ended) stop(source, stream);
    else sources.piped.add(source);
  });
  stream.on("unpipe", (source: Readable) => sources.piped.delete(source));
}

/** Stops whatever is piped into `stream`, and before that, since its output is complete. */
export function endEarly(stream: Writable): void {
  const sources = sourcesOf.get(stream)!;
  sources.ended = true;
  for (const source of [...sources.piped]) stop(source, stream);
  if (!stream.writableEnded) stream.end();
}

/** Tells whether `stream` has ended because it needs no more. */
export function hasEndedEarly(stream: object): boolean {
  return sourcesOf.get(stream)?.ended === true;
}

/** Tells whether `stream` was closed because a stage after it needed no more. */
export function wasStopped(stream: object): boolean {
  return stopped.has(stream);
}
