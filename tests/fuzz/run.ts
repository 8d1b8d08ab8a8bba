import { Session } from "node:inspector";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { corpusFileOf, corpusOf, Dice, mutate, type Target, targets, toLine } from "./_corpus.ts";

// Searches for inputs that reach new code, by V8's coverage, and keeps these in the corpus. Node only:
//   node --import ./node_compat/register.mjs tests/fuzz/run.ts --seconds 600 [--target csv] [--seed 1]

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

const session = new Session();

function post(method: string, params?: object): unknown {
  let answer: unknown;
  session.post(method, params, (error: Error | null, result: unknown) => {
    if (error !== null) throw error;
    answer = result;
  });
  return answer;
}

/** What an input reached: each range of code, with how often in powers of two. */
function takeReached(code: RegExp): string[] {
  const { result } = post("Profiler.takePreciseCoverage") as Coverage;
  return result.filter(({ url }) => code.test(url)).flatMap(({ url, functions }) =>
    functions.flatMap(({ ranges }) =>
      ranges.filter(({ count }) => count > 0).map(({ startOffset, endOffset, count }) =>
        `${url}:${startOffset}-${endOffset}:${Math.floor(Math.log2(count))}`
      )
    )
  );
}

interface Search {
  readonly target: Target;
  readonly seen: Set<string>;
  readonly corpus: Uint8Array[];
  readonly kept: Uint8Array[];
  tried: number;
}

async function tryInput(search: Search, bytes: Uint8Array): Promise<boolean> {
  try {
    await search.target.check(bytes);
  } catch (error) {
    throw new Error(`${search.target.name} fails with ${toLine(bytes)}`, { cause: error });
  }
  search.tried++;
  const before = search.seen.size;
  for (const place of takeReached(search.target.code)) search.seen.add(place);
  return search.seen.size > before;
}

async function searchFor(target: Target, untilMs: number, dice: Dice): Promise<Search> {
  const search: Search = { target, seen: new Set(), corpus: [], kept: [], tried: 0 };
  const seeds = target.seeds.length;
  for (const [index, bytes] of corpusOf(target).entries()) {
    const isNew = await tryInput(search, bytes);
    search.corpus.push(bytes);
    if (isNew && index >= seeds) search.kept.push(bytes);
  }
  while (Date.now() < untilMs) {
    const bytes = mutate(dice.pick(search.corpus), search.corpus, target.tokens, dice);
    if (!await tryInput(search, bytes)) continue;
    search.corpus.push(bytes);
    search.kept.push(bytes);
  }
  return search;
}

function readFlag(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : process.argv[at + 1];
}

const seconds = Number(readFlag("seconds") ?? 60);
const only = readFlag("target");
session.connect();
post("Profiler.enable");
post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
for (const target of targets.filter(({ name }) => only === undefined || name === only)) {
  const dice = new Dice(Number(readFlag("seed") ?? Date.now()));
  const { kept, tried, seen } = await searchFor(target, Date.now() + seconds * 1000, dice);
  const file = corpusFileOf(target);
  writeFileSync(file, kept.map((bytes) => `${toLine(bytes)}\n`).join(""));
  console.log(
    `${target.name}: ${tried} inputs, ${kept.length} kept, ${seen.size} places, ` +
      fileURLToPath(file),
  );
}
