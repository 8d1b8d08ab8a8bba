import { access, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { readResultFile } from "../bench/results/read_result_file.ts";
import { loadRegistry } from "../bench/measure/registry.ts";
import { checkWritable } from "../scenarios/command_line/check_writable.ts";
import { parseCommandLine } from "../scenarios/command_line/parse_command_line.ts";
import { resolvePath } from "../scenarios/command_line/resolve_path.ts";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { realPath } from "../scenarios/command_line/real_path.ts";
import type { NeedsOf } from "../scenarios/command_line/task_needs.ts";
import { buildReport } from "./report/build_report.ts";

const folder = new URL("../bench/results/", import.meta.url);
const registryUrl = new URL("../bench/workloads.ts", import.meta.url).href;

/** The latest results, or the committed ones. */
async function defaultResults(): Promise<string[]> {
  const paths = ["latest.json", "published.json", "reference.json"]
    .map((name) => fileURLToPath(new URL(name, folder)));
  for (const path of paths) {
    if (await access(path).then(() => true, () => false)) return [path];
  }
  return paths.slice(-1);
}

function readFlags(args: readonly string[]) {
  const flags = parseCommandLine(args, {
    command: "deno task dev report",
    about:
      "Makes one HTML file of results, which needs no network: bars, figures and where they\n" +
      "come from. Given several files, it takes each workload from the last that has it.",
    positional: "[RESULT.json…]",
    flags: {
      out: { kind: "text", value: "FILE", about: "default: bench/results/report.html" },
    },
    examples: [
      "deno task dev report",
      "deno task dev report bench/results/published.json --out report.html",
    ],
  });
  return { ...flags, given: flags._.map(resolvePath) };
}

/** What the command needs: what it writes is first a file beside it. */
export const reportNeeds: NeedsOf = (args) => {
  const { out, given } = readFlags(args);
  const place = out === undefined ? fileURLToPath(folder) : dirname(realPath(resolvePath(out)));
  return { needs: { read: given, write: [place] } };
};

/** The command `deno task dev report`; returns its exit code. */
export async function report(args: readonly string[]): Promise<number> {
  const flags = readFlags(args);
  if (flags.out === undefined) await mkdir(folder, { recursive: true });
  const paths = flags.given.length > 0 ? flags.given : await defaultResults();
  const out = await checkWritable(
    "--out",
    flags.out ?? fileURLToPath(new URL("report.html", folder)),
    Object.fromEntries(paths.map((path) => [`a result that is read, ${path}`, path])),
  );
  const results = await Promise.all(paths.map(async (path) => ({
    name: basename(path),
    result: await readResultFile(path),
  })));
  const names = new Set(results.flatMap(({ result }) => result.rows.map((row) => row.workload)));
  const registry = await loadRegistry(registryUrl);
  const known = await Promise.all(
    Object.entries(registry).filter(([name]) => names.has(name)).map(([, load]) => load()),
  );
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, buildReport(results, known));
  console.log(out);
  return 0;
}

if (import.meta.main) await runCommand(report);
