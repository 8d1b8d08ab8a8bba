import { writeFile } from "node:fs/promises";
import process from "node:process";
import { measureSerial, type SerialPart } from "./measure_serial.ts";

/** What `bench/results/threads-serial.json` holds. */
export interface SerialFile {
  readonly node: string;
  readonly parts: readonly SerialPart[];
}

const file = new URL("../results/threads-serial.json", import.meta.url);
if (process.argv[1]?.endsWith("write_serial.ts")) {
  const parts: SerialPart[] = [];
  for (const job of ["ndjson", "gzip", "match"] as const) parts.push(await measureSerial(job));
  const written: SerialFile = { node: process.versions.node, parts };
  await writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
  console.log(written);
  // Threads that are idle end by themselves, later.
  process.exit();
}
