import { isEqual } from "./is_equal.ts";
import { type BrokenLaw, LawResult } from "./law_types.ts";

/** What ends fail with: `undefined` is a reason, too. */
export const reasons = [new Error("on purpose"), undefined];

/** The programs in which all is well, with few chunks and with all. */
export const wholes = ({ count }: { readonly count: number }) =>
  [...new Set([0, 1, 2, 3, count])].filter((give) => give <= count)
    .map((give) => ({ give, then: "end" as const }));

/** What laws of all kinds know of what is under test. */
export interface Knowledge<Way> {
  readonly ways: readonly Way[];
  readonly count: number;
  /** What comes out of the first so many chunks; `undefined` if that is not known. */
  readonly expected: (count: number) => readonly unknown[] | undefined;
  readonly isSame: (actual: readonly unknown[], expected: readonly unknown[]) => boolean;
}

type AnyProgram = { readonly way: string; readonly reason?: unknown };

/** A program in all the ways that there are, or in those of them that it names. */
export type InWays<Program extends AnyProgram> =
  & Omit<Program, "way">
  & { readonly ways?: readonly Program["way"][] };

/** A law: programs, small ones first, and what is wrong with the run of one. */
export interface Law<Program extends AnyProgram, Run, Known> {
  readonly programs: (knowledge: Known) => readonly InWays<Program>[];
  readonly problem: (run: Run, program: Program, knowledge: Known) => string | undefined;
  /** What is wrong where what is under test may have ended by itself before what the law is about. */
  readonly problemAfterEnd?: (run: Run, program: Program, knowledge: Known) => string | undefined;
}

/** How laws are tried: on what is under test, and on what the runtime itself has of the kind. */
interface LawTrial<Subject, Program extends AnyProgram, Run, Known> {
  /** What is under test, in a word. */
  readonly kind: string;
  readonly laws: Readonly<Record<string, Law<Program, Run, Known>>>;
  /** Makes of a program what can be shown of it. Default: the program. */
  readonly adapt?: (program: InWays<Program>) => readonly InWays<Program>[];
  readonly run: (subject: Subject, program: Program) => Promise<Run>;
  /** Whether what is under test ends by itself in such a program. Default: never. */
  readonly endsByItself?: (subject: Subject, program: Program) => Promise<boolean>;
  readonly subject: Subject;
  readonly knowledge: Known;
  /** What the runtime itself has, which passes chunks on, and what is known of that. */
  readonly passing: Subject;
  readonly passKnowledge: Partial<Known>;
  readonly describe: (program: Program) => string;
}

/** Tries each law that is not skipped; a law that the runtime's own streams break is skipped, too. */
export async function tryLaws<
  Subject extends { readonly chunks: () => readonly unknown[] },
  Program extends AnyProgram,
  Run,
  Known extends Knowledge<Program["way"]>,
>(
  trial: LawTrial<Subject, Program, Run, Known>,
  skipped: Record<string, string>,
): Promise<LawResult> {
  const { subject, knowledge, passing, adapt = (program) => [program], describe } = trial;
  const passKnowledge: Known = {
    ...knowledge,
    isSame: isEqual,
    expected: (give: number) => subject.chunks().slice(0, give),
    ...trial.passKnowledge,
  };
  const inWays = ({ ways = knowledge.ways, ...program }: InWays<Program>) =>
    knowledge.ways.filter((way) => ways.includes(way))
      .map((way) => ({ way, ...program }) as unknown as Program);
  const runs = new Map<string, Run>();
  const run = async (program: Program): Promise<Run> => {
    const key = JSON.stringify({ ...program, reason: String(program.reason) });
    const known = runs.get(key);
    if (known !== undefined) return known;
    const made = await trial.run(subject, program);
    runs.set(key, made);
    return made;
  };
  const held: string[] = [];
  const failed: BrokenLaw[] = [];
  for (const [law, { programs, problem, problemAfterEnd }] of Object.entries(trial.laws)) {
    if (skipped[law] !== undefined) continue;
    let isRuntimes = false;
    let broken: BrokenLaw | undefined;
    for (const program of programs(knowledge).flatMap(adapt).flatMap(inWays)) {
      let found = problem(await run(program), program, knowledge);
      if (
        found !== undefined && problemAfterEnd !== undefined &&
        await trial.endsByItself?.(subject, program)
      ) found = problemAfterEnd(await run(program), program, knowledge);
      if (found === undefined) continue;
      const ofRuntime = await trial.run(passing, program);
      if (problem(ofRuntime, program, passKnowledge) !== undefined) {
        isRuntimes = true;
        continue;
      }
      broken = { law, program: describe(program), problem: found };
      break;
    }
    if (broken !== undefined) failed.push(broken);
    else if (isRuntimes) skipped[law] = "the runtime's own streams break it";
    else held.push(law);
  }
  return new LawResult(trial.kind, held, skipped, failed);
}
