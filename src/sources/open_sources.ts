import { isWithBody } from "../body_of.ts";
import { throwTypeError } from "../errors.ts";
import { iterableOpener } from "../iterable_opener.ts";
import { isStream } from "../stream_iterator.ts";
import { abandonAll, SourceReader } from "./source_reader.ts";

const need = "a ReadableStream, an iterable, an async iterable, a Blob, a Response or a Request";

/** Tells whether `value` can be read from. */
export function isSource(value: unknown): boolean {
  return iterableOpener(value) !== undefined;
}

/** The stream that would be locked, if the source has one already. */
function streamOf(source: unknown): ReadableStream<unknown> | undefined {
  if (isStream(source)) return source;
  if (source === null || typeof source !== "object" || !isWithBody(source)) return undefined;
  return (source.body as ReadableStream<unknown> | null) ?? undefined;
}

/** Throws unless all `sources`, known to the caller by `names`, can be opened; touches none of them. */
export function checkSources(
  action: string,
  sources: readonly unknown[],
  name: (index: number) => string,
): void {
  const indexes = new Map<unknown, number>();
  for (const [index, source] of sources.entries()) {
    if (!isSource(source)) throwTypeError(action, name(index), need, source);
    const stream = streamOf(source);
    if (stream === undefined) continue;
    if (isWithBody(source as object) && (source as Response).bodyUsed) {
      throw new TypeError(`Cannot ${action}: the body of ${name(index)} has been read already`);
    }
    if (stream.locked) {
      throw new TypeError(`Cannot ${action}: ${name(index)} is locked to another reader`);
    }
    const same = indexes.get(stream);
    if (same !== undefined) {
      throw new TypeError(
        `Cannot ${action}: ${name(index)} is the same stream as ${name(same)}`,
      );
    }
    indexes.set(stream, index);
  }
}

/** Names the sources of a join by their places: "source 2 of merge". */
export function sourcesOf(join: string): (index: number) => string {
  return (index) => `source ${index + 1} of ${join}`;
}

/** Opens sources that `checkSources` let pass, known to failures by `name`, so that none can be taken by another reader. */
export function openSources(
  sources: readonly unknown[],
  name: (index: number) => string,
): SourceReader<unknown>[] {
  const opened = new Map<number, SourceReader<unknown>>();
  const open = (index: number): void =>
    void opened.set(index, new SourceReader(sources[index], name(index)));
  const indexes = [...sources.keys()];
  try {
    // Only an iterable can fail to open: then no stream has been locked yet, and no iterator stays open.
    for (const index of indexes) if (streamOf(sources[index]) === undefined) open(index);
  } catch (error) {
    abandonAll(opened.values(), error);
    throw error;
  }
  for (const index of indexes) if (!opened.has(index)) open(index);
  return indexes.map((index) => opened.get(index)!);
}

/** Names a source by its place among the arguments. */
export function nameOfArgument(index: number): string {
  return `sources[${index}]`;
}
