import { readFileSync } from "node:fs";
import process from "node:process";
import { findExamples } from "./find_examples.ts";
import { importProgram } from "./import_program.ts";

// Runs, as tests of Deno's, the examples of the files that HOSEPIPE_EXAMPLES names. They share one process, and so the
// library: one process each would spend most of its time on loading that.
const root = new URL("../../../", import.meta.url);
const paths = (process.env.HOSEPIPE_EXAMPLES ?? "").split("\n");
const examples = paths.flatMap((path) =>
  findExamples(path, readFileSync(new URL(path, root), "utf8"))
);

const resolve = (specifier: string) => import.meta.resolve(specifier);

for (const { name, code } of examples) {
  // What it imports is found from here.
  const program = code.replace(/\bfrom "([^"]+)"/g, (_, name) => `from "${resolve(name)}"`);
  Deno.test(name, () => importProgram(program));
}
