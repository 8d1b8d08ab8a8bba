import { checkFunction, throwTypeError } from "../errors.ts";
import { anything, boolean, callback, type OptionReader, readOptions } from "../read_options.ts";
import { checkSkip } from "./check_skip.ts";
import { isEqual } from "./is_equal.ts";
import {
  describeProgram,
  type Law,
  type LawKnowledge,
  type LawProgram,
  type LawRest,
  type LawRun,
  type LawRunner,
  type LawSubject,
  runProgram,
} from "./law_program.ts";
import {
  type BrokenLaw,
  type CheckResult,
  type CheckStageOptions,
  LawResult,
} from "./law_types.ts";

/** What a first run has shown of what is under test. */
export interface LawSeen {
  readonly subject: LawSubject;
  readonly kind: string;
  readonly count: number;
  /** What came out of all chunks, and how many had been read for the first so many of that. */
  readonly all: readonly unknown[];
  readonly readsFor: (outputs: number) => number;
  readonly run: (program: LawProgram) => Promise<LawRun>;
  readonly ahead: number;
  /** Leaves a law out, unless that is done already. */
  readonly skip: (reason: string, ...laws: readonly string[]) => void;
}

/** What is checked by laws, and by which. */
export interface LawCheck extends LawRunner {
  readonly laws: Readonly<Record<string, Law>>;
  /** The option that says how many chunks it may take ahead, and other options of its own. */
  readonly options: Readonly<Record<string, OptionReader>>;
  // deno-lint-ignore no-explicit-any -- whatever was made
  readonly kindOf: (made: any) => string;
  /** What follows from the first run: `expected` holds where no option says what is expected. */
  readonly learn: (
    seen: LawSeen,
  ) =>
    | Pick<LawKnowledge, "ways" | "expected" | "mostReads">
    | Promise<Pick<LawKnowledge, "ways" | "expected" | "mostReads">>;
  /** Makes of a program what can be shown of it, if anything. Default: the program. */
  readonly adapt?: (program: LawProgram, knowledge: LawKnowledge) => LawProgram | undefined;
  /** What the runtime itself has, which passes chunks on. */
  readonly passing: (kind: string) => Pick<LawSubject, "make" | "makeFailing">;
}

type Options = Omit<CheckStageOptions, "makeFailing"> & {
  readonly makeFailing?: LawSubject["makeFailing"];
  readonly written?: LawSubject["written"];
  readonly writeAhead?: number | undefined;
};

/** Reads the options of a check; throws if one is wrong. */
function readLawOptions(action: string, options: Options, { laws, options: own }: LawCheck) {
  const read = readOptions(action, options as Readonly<Record<string, unknown>>, {
    chunks: anything(),
    expected: anything(),
    isSame: callback(),
    makeFailing: callback(),
    io: boolean(false),
    skip: anything(),
    ...own,
  }) as Options;
  const { expected, skip = {}, isSame = isEqual, io = false } = read;
  if (expected !== undefined && typeof expected !== "function" && !Array.isArray(expected)) {
    throwTypeError(action, "expected", "an array or a function", expected);
  }
  checkSkip(action, skip, Object.keys(laws));
  const chunks = (): unknown[] => {
    const { chunks = [1, 2, 3, 4, 5, 6, 7, 8] } = read;
    const list = typeof chunks === "function" ? chunks() : chunks;
    if (Array.isArray(list)) return [...list];
    throwTypeError(action, "chunks", "an array or a function that gives one", list);
  };
  return { ...read, isSame, io, chunks, skipped: { ...skip } as Record<string, string> };
}

/** Checks what `make` makes; a law that is broken by the runtime's own streams, too, is skipped. */
export async function checkByLaws(
  check: LawCheck,
  make: LawSubject["make"],
  options: Options,
): Promise<CheckResult> {
  const { noun, laws } = check;
  const action = `check ${noun}`;
  checkFunction(action, `make${noun[0]!.toUpperCase()}${noun.slice(1)}`, make);
  const { chunks, isSame, io, skipped, ...read } = readLawOptions(action, options, check);
  const { expected: wanted, makeFailing, written, readAhead, writeAhead } = read;
  const count = chunks().length;
  let kind: string | undefined;
  const look: LawSubject["make"] = (context) => {
    const made = make(context);
    kind = check.kindOf(made);
    return made;
  };
  const subject: LawSubject = { make: look, makeFailing, written, chunks, io, isWatched: false };
  const run = (program: LawProgram) => runProgram(check, subject, program);
  const first = await run({ way: "pipeline", give: count, then: "end", slow: "source" });
  if (kind === undefined) throw first.reason;
  const { isWatched } = subject;
  const isOutputSeen = noun !== "sink" || isWatched || written !== undefined;
  const skip = (reason: string, ...names: readonly string[]) => {
    for (const name of names) skipped[name] ??= reason;
  };
  if (makeFailing === undefined) {
    skip("makeFailing is not given", noun === "stage" ? "stageError" : "ownError");
  }
  const { chunks: all, readsAt } = first;
  const readsFor = (outputs: number) => outputs === 0 ? 0 : readsAt[outputs - 1] ?? count;
  const ahead = readAhead ?? writeAhead ?? 0;
  const learned = await check.learn({ subject, kind, count, run, skip, readsFor, ahead, all });
  const expected: LawKnowledge["expected"] = (give) => {
    if (!isOutputSeen) return;
    if (typeof wanted === "function") return wanted(chunks().slice(0, give));
    return wanted === undefined ? learned.expected(give) : give === count ? wanted : undefined;
  };
  const knowledge: LawKnowledge = { ...learned, kind, count, isWatched, isSame, expected };
  const passing: LawSubject = { ...subject, ...check.passing(kind), written: undefined };
  const passKnowledge: LawKnowledge = {
    ...knowledge,
    kind: "dictionary",
    isWatched: true,
    isSame: isEqual,
    expected: (give) => chunks().slice(0, give),
    mostReads: (outputs) => outputs + (noun === "sink" ? 0 : 1),
  };
  const usual = knowledge.ways.filter((way) => way !== "tee" && way !== "BYOB");
  const programsOf = ({ ways = usual, give = count, then, ...rest }: LawRest): LawProgram[] =>
    knowledge.ways.filter((way) => ways.includes(way)).flatMap((way) => {
      const last = rest.stop !== undefined || rest.isFailing ? "stall" : "end";
      const program: LawProgram = { way, give: Math.min(give, count), then: then ?? last, ...rest };
      return (check.adapt === undefined ? program : check.adapt(program, knowledge)) ?? [];
    });
  const runs = new Map<string, LawRun>();
  const runOnce = async (program: LawProgram): Promise<LawRun> => {
    const key = JSON.stringify({ ...program, reason: String(program.reason) });
    const known = runs.get(key) ?? await run(program);
    runs.set(key, known);
    return known;
  };
  const held: string[] = [];
  const failed: BrokenLaw[] = [];
  for (const [law, { programs, problem, problemAfterEnd }] of Object.entries(laws)) {
    if (skipped[law] !== undefined) continue;
    let isRuntimes = false;
    let broken: BrokenLaw | undefined;
    for (const program of programs.flatMap(programsOf)) {
      let found = problem(await runOnce(program), program, knowledge);
      if (found !== undefined && problemAfterEnd !== undefined) {
        // It may have ended by itself.
        const { way, give } = program;
        const { state } = await run({ way, give, then: "stall" });
        if (state === "fulfilled") {
          found = problemAfterEnd(await runOnce(program), program, knowledge);
        }
      }
      if (found === undefined) continue;
      if (problem(await runProgram(check, passing, program), program, passKnowledge)) {
        isRuntimes = true;
        continue;
      }
      const words = describeProgram(program, check, noun !== "source" || isWatched);
      broken = { law, program: words, problem: found };
      break;
    }
    if (broken !== undefined) failed.push(broken);
    else if (isRuntimes) skip("the runtime's own streams break it", law);
    else held.push(law);
  }
  return new LawResult(noun, held, skipped, failed);
}
