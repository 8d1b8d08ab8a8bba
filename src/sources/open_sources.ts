import { throwTypeError } from "../errors.ts";
import { findSource, type FoundSource } from "../source/find_source.ts";
import { abandonAll, SourceReader } from "./source_reader.ts";

const need = "a ReadableStream, an iterable, an async iterable, a Blob, a Response or a Request";

/** Finds how all `sources`, known to the caller by `names`, are opened; throws unless all can be, and touches none. */
export function checkSources(
  action: string,
  sources: readonly unknown[],
  name: (index: number) => string,
): FoundSource[] {
  const indexes = new Map<unknown, number>();
  return sources.map((source, index) => {
    const found = checkOneSource(action, source, name(index));
    const { stream } = found;
    const same = stream && indexes.get(stream);
    if (same !== undefined) {
      throw new TypeError(
        `Cannot ${action}: ${name(index)} is the same stream as ${name(same)}`,
      );
    }
    if (stream !== undefined) indexes.set(stream, index);
    return found;
  });
}

/** Finds how a source is opened; throws unless it can be, and touches nothing. */
export function checkOneSource(action: string, source: unknown, name = "source"): FoundSource {
  return findSource(action, source, name) ?? throwTypeError(action, name, need, source);
}

/** Names the sources of a join by their places: "source 2 of merge". */
export function sourcesOf(join: string): (index: number) => string {
  return (index) => `source ${index + 1} of ${join}`;
}

/** Opens sources, known to failures by `name`, so that none can be taken by another reader. */
export function openSources(
  sources: readonly FoundSource[],
  name: (index: number) => string,
): SourceReader<unknown>[] {
  const opened = new Map<number, SourceReader<unknown>>();
  const open = (index: number): void =>
    void opened.set(index, new SourceReader(sources[index]!, name(index)));
  const indexes = [...sources.keys()];
  try {
    // Only an iterable can fail to open: then no stream has been locked yet, and no iterator stays open.
    for (const index of indexes) if (sources[index]!.stream === undefined) open(index);
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
