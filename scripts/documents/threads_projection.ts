import { readFileSync } from "node:fs";
import type { SerialFile } from "../../bench/threads/write_serial.ts";
import { markdownTable } from "./markdown_table.ts";

const cores = [2, 4, 8, 32];
const round = (value: number) => value.toFixed(1);

/** How much faster a job would be on more cores, by Amdahl's law, from what its main thread costs here. */
export function threadsProjection(): string {
  const file = new URL("../../bench/results/threads-serial.json", import.meta.url);
  const { node, parts } = JSON.parse(readFileSync(file, "utf8")) as SerialFile;
  const table = markdownTable(
    ["CPU ms, Node", "pipeline", "main thread", "threads", ...cores.map((n) => `${n} cores`)],
    parts.map(({ job, aloneMs, mainMs, threadsMs }) => [
      job,
      ...[aloneMs, mainMs, threadsMs].map(round),
      ...cores.map((n) => `${round(aloneMs / (mainMs + threadsMs / n))}x`),
    ]),
  );
  return `${table}\n\n300 blocks of 64 KiB, 3,000 texts of \`match\`; measured in Node ${node} on two cores. ` +
    "The figures by\ncores are calculated, not measured.";
}
