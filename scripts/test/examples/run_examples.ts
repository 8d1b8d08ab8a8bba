import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { findExamples } from "./find_examples.ts";

// Runs, as tests of Deno's, the examples of the files that HOSEPIPE_EXAMPLES names. They share one process, and so the
// library: one process each would spend most of its time on loading that.
const root = new URL("../../../", import.meta.url);
const paths = (process.env.HOSEPIPE_EXAMPLES ?? "").split("\n");
const examples = paths.flatMap((path) =>
  findExamples(path, readFileSync(new URL(path, root), "utf8"))
);

const resolve = (specifier: string) => import.meta.resolve(specifier);

for (const { name, code } of examples) {
  Deno.test(name, async () => {
    const folder = mkdtempSync(join(tmpdir(), "hosepipe-example-"));
    try {
      const file = join(folder, "example.ts");
      // What it imports is found from here; it is a module even if it imports nothing.
      const program = code.replace(/\bfrom "([^"]+)"/g, (_, name) => `from "${resolve(name)}"`);
      writeFileSync(file, `${program}\nexport {};\n`);
      await import(pathToFileURL(file).href);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
