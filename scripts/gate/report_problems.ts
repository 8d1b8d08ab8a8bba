import process from "node:process";

/** Prints what a check found, or that it found nothing, and sets the exit code. */
export function reportProblems(checked: string, problems: readonly string[]): void {
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${checked}: in order`);
}
