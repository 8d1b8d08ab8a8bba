import { runtimeNames } from "../../runtimes/current_runtime.ts";
import type { ResultFile } from "../../bench/results/result.ts";
import { type Comparison, hundred, nameMarks, rangeIn, realWork } from "./bench/claims.ts";
import { bullet } from "./bullet.ts";
import { importSizes } from "./import_sizes.ts";

/** `56–96×`, `1.4–1.7×` or `1.5×`: over all runtimes and runs, rounded so that it never promises too much. */
function speed(runs: readonly ResultFile[], comparison: Comparison): string | undefined {
  const ranges = runtimeNames.flatMap((runtime) => rangeIn(runs, runtime, comparison) ?? []);
  if (ranges.length === 0) return undefined;
  const write = (value: number) =>
    value >= 10 ? `${Math.floor(value)}` : (Math.floor(value * 10) / 10).toFixed(1);
  const least = write(Math.min(...ranges.map(({ low }) => low)));
  const most = write(Math.max(...ranges.map(({ high }) => high)));
  return `**${least === most ? least : `${least}–${most}`}×**`;
}

function writeSize(): string {
  const [, size] = /^\| `pipeline, map` +\| +[\d.]+ KiB +\| +([\d.]+ KiB) +\|$/m.exec(importSizes)!;
  return `**${size}** gzipped for \`pipeline\` and \`map\`, and no dependency`;
}

/** The three figures that the README begins with. */
export function headline(runs: readonly ResultFile[]): string {
  const native = `the speed of native Web Streams ${nameMarks(runs)}`;
  const over = (one: typeof realWork | typeof hundred, ...names: string[]) =>
    speed(runs, { ...one, names });
  const [web, node] = [over(realWork, "web", "web-16"), over(realWork, "node")];
  const chain = over(hundred, "web", "web-16");
  const work = "Filtering a file of JSON lines in five stages";
  return [
    ...web && node ? [`${work}: ${web} ${native}, ${node} that of \`node:stream\``] : [],
    ...chain ? [`100 stages that do nothing, between two files: ${chain} ${native}`] : [],
    writeSize(),
  ].map((text) => bullet(text)).join("\n");
}
