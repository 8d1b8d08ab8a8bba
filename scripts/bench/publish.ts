import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describeCase } from "../../bench/results/describe_case.ts";
import { digestDisagreements } from "../../bench/results/digest_disagreements.ts";
import { readResultFile } from "../../bench/results/read_result_file.ts";
import { isMeasured, type ResultFile } from "../../bench/results/result.ts";
import { writeResultFile, writeRunsFile } from "../../bench/results/write_result_file.ts";
import { measureRun, type RunOptions } from "./measure_run.ts";

/** What `--publish` needs besides what each run does. */
export interface PublishOptions extends Omit<RunOptions, "seed" | "onWorkload"> {
  readonly runs: number;
  /** Where each run is kept as soon as it is done. */
  readonly folder: string;
  /** Where all of them end up together. */
  readonly out: string;
}

/** A run that already exists, whole and of the same cases and profile. */
async function readDone(
  path: string,
  { cases, profile }: PublishOptions,
): Promise<ResultFile | undefined> {
  const run = await readResultFile(path).catch(() => undefined);
  const wanted = cases.map(describeCase).sort().join("\n");
  const isSame = run !== undefined && run.complete && run.profile === profile.name &&
    run.rows.map(describeCase).sort().join("\n") === wanted;
  return isSame ? run : undefined;
}

/**
 * Measures several whole runs, each with the seed of its number, and writes them as one file. A run that is
 * done is kept: started again, only those that are missing are measured. Returns the exit code.
 */
export async function publish(options: PublishOptions): Promise<number> {
  const { runs, folder, out, signal } = options;
  await mkdir(folder, { recursive: true });
  const done: ResultFile[] = [];
  for (let seed = 1; seed <= runs; seed++) {
    const path = join(folder, `run-${seed}.json`);
    const kept = await readDone(path, options);
    const run = kept ?? await measureRun({ ...options, seed });
    if (signal.aborted) break;
    if (kept === undefined) await writeResultFile(path, run);
    done.push(run);
    await writeRunsFile(out, { runs: done });
    console.log(
      `run ${seed} of ${runs}: ${
        kept ? "there already" : `${Math.round(run.elapsedMs / 1000)} s`
      }, ` +
        `${
          run.rows.filter(isMeasured).length
        } of ${run.rows.length} cases measured; rows in ${path}`,
    );
  }
  const failures = done.flatMap((run) =>
    run.rows.flatMap((row) =>
      isMeasured(row) || row.refused
        ? []
        : [`seed ${run.seed}: failed: ${describeCase(row)}: ${row.error}`]
    )
  );
  const problems = [...failures, ...done.flatMap(({ rows }) => digestDisagreements(rows))];
  for (const line of new Set(problems)) console.error(line);
  console.log(`${done.length} of ${runs} runs in ${out}`);
  return problems.length > 0 || done.length < runs ? 1 : 0;
}
