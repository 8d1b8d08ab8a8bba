import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { turns } from "../lib/turns.ts";
import { libraries } from "./_libraries.ts";
import type { Case, Fn, Made, Program } from "./_row.ts";
import { page, withTables } from "./write_tables.ts";

/** How a program ended. */
interface Ended {
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
const cases: readonly Case[] = ["some", "empty", "fn fails", "source fails", "early end"];

/** Runs a program; tells how it ended, and whether its source was left open. */
async function runCase(
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

for (const { name: library, rows } of libraries) {
  for (const { theirs, ours, programs, differs, hangs } of rows) {
    if (programs === undefined) continue;
    for (const name of cases) {
      test(`${library}: ${theirs} is ${ours}, with ${name}`, async () => {
        const here = await runCase(programs.ours, name);
        assert(!here.isLeftOpen, "the source is closed in the end");
        if (hangs?.[name] !== undefined) return assert(here.ended.failure !== undefined);
        const there = await runCase(programs.theirs, name);
        const isSame = JSON.stringify(here.ended) === JSON.stringify(there.ended);
        if (differs?.[name] === undefined) assertEquals(here.ended, there.ended);
        else assert(!isSame, `no difference is left: ${differs[name]}`);
      });
    }
  }
}

test("the table has at least 60 rows, each with a counterpart or with what to do without one", () => {
  const rows = libraries.flatMap(({ rows }) => rows);
  assert(rows.length >= 60, String(rows.length));
});

test("docs/migrate.md has the table of these rows", async () => {
  const text = await readFile(page, "utf8");
  assertEquals(text, withTables(text), "run tests/migration/write_tables.ts");
});
