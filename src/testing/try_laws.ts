import type { BrokenLaw } from "./law_types.ts";

/** A law: programs, small ones first, and what is wrong with the run of one. */
export interface Law<Program, Run, Knowledge> {
  readonly programs: (knowledge: Knowledge) => readonly Program[];
  readonly problem: (run: Run, program: Program, knowledge: Knowledge) => string | undefined;
}

/** How laws are tried: on what is under test, and on what the runtime itself has of the kind. */
export interface LawTrial<Program, Run, Knowledge> {
  readonly laws: Readonly<Record<string, Law<Program, Run, Knowledge>>>;
  readonly knowledge: Knowledge;
  readonly run: (program: Program) => Promise<Run>;
  readonly passKnowledge: Knowledge;
  readonly runPassing: (program: Program) => Promise<Run>;
  readonly describe: (program: Program) => string;
}

/** Tries each law that is not skipped; a law that the runtime's own streams break is skipped, too. */
export async function tryLaws<Program extends { readonly reason?: unknown }, Run, Knowledge>(
  trial: LawTrial<Program, Run, Knowledge>,
  skipped: Record<string, string>,
): Promise<{ readonly held: readonly string[]; readonly failed: readonly BrokenLaw[] }> {
  const { knowledge, passKnowledge, runPassing, describe } = trial;
  const runs = new Map<string, Run>();
  const run = async (program: Program): Promise<Run> => {
    const key = JSON.stringify({ ...program, reason: String(program.reason) });
    const known = runs.get(key);
    if (known !== undefined) return known;
    const made = await trial.run(program);
    runs.set(key, made);
    return made;
  };
  const held: string[] = [];
  const failed: BrokenLaw[] = [];
  for (const [law, { programs, problem }] of Object.entries(trial.laws)) {
    if (skipped[law] !== undefined) continue;
    let isRuntimes = false;
    let broken: BrokenLaw | undefined;
    for (const program of programs(knowledge)) {
      const found = problem(await run(program), program, knowledge);
      if (found === undefined) continue;
      if (problem(await runPassing(program), program, passKnowledge) !== undefined) {
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
  return { held, failed };
}
