import { assertEquals } from "@std/assert";
import { toArray, type Transformer } from "@hosepipe/streams";

/** A parser under attack: what its input is made of, and what must hold for any input. */
export interface Target {
  readonly name: string;
  /** Texts that mean something to it. */
  readonly tokens: readonly string[];
  /** What the first inputs are. */
  readonly seeds: readonly string[];
  /** Where the code lies that inputs should reach. */
  readonly code: RegExp;
  /** Fails if the parser does something that it must not do with these bytes. */
  check(bytes: Uint8Array): Promise<void> | void;
}

/** What came of one run: everything before it failed, and how it failed. */
export interface Outcome {
  readonly given: readonly unknown[];
  readonly error?: string;
}

const expected = [SyntaxError, RangeError];

/** Notes how `run` ended; an error that no parser announces is a failure of the test. */
export async function outcomeOf(
  run: (give: (value: unknown) => void) => Promise<unknown>,
): Promise<Outcome> {
  const given: unknown[] = [];
  try {
    await run((value) => void given.push(value));
    return { given };
  } catch (error) {
    if (!expected.some((kind) => error instanceof kind)) throw error;
    return { given, error: String(error) };
  }
}

/** Passes chunks through a stage. */
export function passThrough(
  chunks: Iterable<string | Uint8Array>,
  stage: Transformer<string | Uint8Array, unknown>,
): Promise<Outcome> {
  return outcomeOf((give) =>
    toArray(chunks, stage, {
      transform(chunk: unknown) {
        give(chunk);
      },
    })
  );
}

/** Short inputs are cut everywhere, long ones where each of 16 equal parts begins. */
const mostCuts = 16;

/** Fails unless `run` does the same with the bytes in one piece, cut in two anywhere, and unit by unit. */
export async function checkCuts<T extends string | Uint8Array>(
  whole: T,
  run: (chunks: T[]) => Promise<Outcome>,
): Promise<Outcome> {
  const first = await run([whole]);
  const step = Math.max(1, Math.floor(whole.length / mostCuts));
  for (let at = 1; at < whole.length; at += step) {
    assertEquals(await run([whole.slice(0, at) as T, whole.slice(at) as T]), first);
  }
  const units = Array.from({ length: whole.length }, (_, at) => whole.slice(at, at + 1) as T);
  assertEquals(await run(units), first);
  return first;
}

/** Fails unless a stage gives the same wherever its bytes, or the text in them, are cut. */
export async function checkStage(
  bytes: Uint8Array,
  make: () => Transformer<string | Uint8Array, unknown>,
): Promise<Outcome> {
  const outcome = await checkCuts(bytes, (chunks) => passThrough(chunks, make()));
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  assertEquals(await checkCuts(text, (chunks) => passThrough(chunks, make())), outcome);
  return outcome;
}
