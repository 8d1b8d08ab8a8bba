import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { turns } from "../lib/turns.ts";
import { libraries } from "./_libraries.ts";
import {
  type Case,
  type Exception,
  type Fn,
  type Made,
  ours as programsOfOurs,
  type Program,
} from "./_ours.ts";

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

/** What became of a program. */
interface Outcome {
  readonly ended: Ended;
  readonly isLeftOpen: boolean;
  /** Whether it gives chunks, one by one. */
  readonly isIterable: boolean;
}

/** Runs a program; of its chunks no more than some are read where another does not gather all. */
async function runCase(program: Program, name: Case, isRead = true): Promise<Outcome> {
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
    return { ended: { given: undefined, failure: textOf(reason) }, isLeftOpen, isIterable: false };
  }
  const ended = await collect(made, name === "early end" && isRead ? 2 : Infinity);
  // Native streams are cancelled some microtasks later.
  await turns();
  return { ended, isLeftOpen, isIterable: isIterable(made) };
}

/** What has no counterpart, of which its row says what to do. */
const withoutCounterpart = ["switchMap", "buffer(n)", "throttle(limit, ms)"];

const page = await readFile(new URL("../../docs/migrate.md", import.meta.url), "utf8");
const tables = /<!-- migration -->([^]*)<!-- \/migration -->/.exec(page)![1]!.split("\n## ").slice(
  1,
);

/** The first code of a cell, or all of it. */
const codeOf = (cell: string) => /`(.*?)`/.exec(cell)?.[1] ?? cell;

for (const table of tables) {
  const library = table.slice(0, table.indexOf("\n"));
  const left = new Map(Object.entries(libraries[library]!));
  // The first two lines are its head.
  for (const line of table.match(/^\|.*$/gm)!.slice(2)) {
    const [, theirs, ours] = line.split(/(?<!\\)\|/).map((cell) => cell.trim()) as [
      string,
      string,
      string,
    ];
    const code = codeOf(theirs);
    if (withoutCounterpart.includes(code)) continue;
    const entry = left.get(code);
    left.delete(code);
    const { differs, hangs, ...programs } = typeof entry === "function"
      ? { theirs: entry } as Exception
      : entry!;
    const own = programs.ours ??
      programsOfOurs[codeOf(ours).replace(/concurrency: (?:n|limit)/, "concurrency")]!;
    for (const name of cases) {
      test(`${library}: ${theirs} is ${ours}, with ${name}`, async () => {
        const isHung = hangs?.[name] !== undefined;
        const there = isHung ? undefined : await runCase(programs.theirs, name);
        const here = await runCase(own, name, there?.isIterable);
        assert(!here.isLeftOpen, "the source is closed in the end");
        if (there === undefined) return assert(here.ended.failure !== undefined);
        const isSame = JSON.stringify(here.ended) === JSON.stringify(there.ended);
        if (differs?.[name] === undefined) assertEquals(here.ended, there.ended);
        else assert(!isSame, `no difference is left: ${differs[name]}`);
      });
    }
  }
  test(`${library}: docs/migrate.md has a row of each program`, () => {
    assertEquals([...left.keys()], []);
  });
}

test("docs/migrate.md has a table of each library", () => {
  assertEquals(tables.length, Object.keys(libraries).length);
});
