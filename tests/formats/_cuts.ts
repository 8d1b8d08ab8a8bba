import { toArray, type Transformer } from "@hosepipe/streams";

/** What came of one run: the chunks, and the error if it failed. */
export interface Outcome {
  readonly chunks: readonly unknown[];
  readonly error?: string;
}

type Make = () => Transformer<string | Uint8Array, unknown>;

/** Runs a stage over some chunks, and notes what it gave before it failed. */
export async function outcomeOf(
  make: Make,
  source: Iterable<string | Uint8Array>,
): Promise<Outcome> {
  const chunks: unknown[] = [];
  try {
    await toArray(source, make(), {
      transform(chunk: unknown) {
        chunks.push(chunk);
      },
    });
    return { chunks };
  } catch (error) {
    return { chunks, error: String(error) };
  }
}

/** Every way of cutting bytes or text once, and into single units, empty chunks between them. */
export function* cutsOf<T extends string | Uint8Array>(whole: T): Generator<T[]> {
  for (let at = 0; at <= whole.length; at++) {
    yield [whole.slice(0, at), whole.slice(at)] as T[];
  }
  const units = Array.from({ length: whole.length }, (_, at) => whole.slice(at, at + 1) as T);
  yield units;
  yield units.flatMap((unit) => [unit, whole.slice(0, 0) as T]);
}
