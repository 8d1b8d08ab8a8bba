import { turns } from "../lib/turns.ts";
import type { Case, Fn, Made, Program } from "./_row.ts";

/** How a program ended. */
export interface Ended {
  /** The chunks, or the one value. */
  readonly given: unknown;
  readonly failure: string | undefined;
}

const numbers = [3, 1, 2, 2, 6, 5];

function isIterable(made: Made): made is AsyncIterable<unknown> {
  return Symbol.asyncIterator in made;
}

/** Errors are compared by what they say, since some libraries wrap them. */
function textOf(reason: unknown): string {
  const { cause } = Object(reason) as { cause?: unknown };
  if (cause instanceof Error) return textOf(cause);
  return reason instanceof Error ? reason.message : String(reason);
}

async function collect(made: Made, most: number): Promise<Ended> {
  const given: unknown[] = [];
  try {
    if (!isIterable(made)) return { given: await made, failure: undefined };
    for await (const chunk of made) {
      given.push(chunk);
      if (given.length === most) break;
    }
  } catch (reason) {
    // How many chunks come before a failure differs with what is read ahead.
    return { given: undefined, failure: textOf(reason) };
  }
  return { given, failure: undefined };
}

/** The cases that a program of chunks is tried with; what gives one value has no early end. */
export const cases: readonly Case[] = ["some", "empty", "fn fails", "source fails", "early end"];

/** Runs a program; tells how it ended, and whether its source was left open. */
export async function runCase(
  program: Program,
  name: Case,
): Promise<{ ended: Ended; isLeftOpen: boolean }> {
  let isLeftOpen = false;
  async function* read() {
    isLeftOpen = true;
    try {
      for (const n of name === "empty" ? [] : numbers) {
        if (name === "source fails" && n === 6) throw new Error("the source has failed");
        yield n;
      }
    } finally {
      isLeftOpen = false;
    }
  }
  const fn: Fn = (n) => {
    if (name === "fn fails" && n === 2) throw new Error("fn has failed");
    return n;
  };
  // What is given to a library is opened at once by some.
  let made: Made;
  try {
    made = program(read(), fn);
  } catch (reason) {
    return { ended: { given: undefined, failure: textOf(reason) }, isLeftOpen };
  }
  const ended = await collect(made, name === "early end" ? 2 : Infinity);
  // Native streams are cancelled some microtasks later.
  await turns();
  return { ended, isLeftOpen };
}
