import { probe } from "../../../src/inspect/mod.ts";
import { problemsOfCounts } from "../../lib/probing.ts";

/** Puts a probe around each part of a chain, and says whether what it counted adds up. */
export class ChainProbe {
  readonly #look = probe({ capacity: 300 });

  /** Wraps an underlying source or an iterable. */
  source<Source>(source: Source): Source {
    return this.#look.reader(source as never) as Source;
  }

  /** Wraps a stream whose underlying source is wrapped already, for `pipeline`. */
  stream(stream: ReadableStream<unknown>): ReadableStream<unknown> {
    return probe().reader(stream) as unknown as ReadableStream<unknown>;
  }

  stage(stage: Transformer<unknown, unknown>): Transformer<unknown, unknown> {
    return this.#look.transformer(stage);
  }

  sink(sink: UnderlyingSink<unknown>): Required<UnderlyingSink<unknown>> {
    return this.#look.writer(sink) as unknown as Required<UnderlyingSink<unknown>>;
  }

  write(write: (chunk: unknown) => unknown): (chunk: unknown) => unknown {
    return this.#look.writer(write);
  }

  /** What is wrong with the counts of a chain that has ended; `writtenCount` chunks were written to its sink. */
  problems(writtenCount: number): string[] {
    return problemsOfCounts(this.#look, writtenCount);
  }
}
