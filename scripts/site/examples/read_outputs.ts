import { readFile } from "node:fs/promises";
import type { OutputLine } from "./output_line.ts";

/** What the examples of each file show, in their order. */
export type Outputs = Readonly<Record<string, readonly (readonly OutputLine[])[]>>;

/** Where it is kept, so that building the site runs nothing. */
export const outputsFile: URL = new URL("./outputs.json", import.meta.url);

/** Reads what the examples showed when `write_outputs.ts` ran them last. */
export async function readOutputs(): Promise<Outputs> {
  return JSON.parse(await readFile(outputsFile, "utf8"));
}
