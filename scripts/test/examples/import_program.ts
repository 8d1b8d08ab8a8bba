import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Runs a program as a module of its own, in a temporary folder: what it imports is named by its address. */
export async function importProgram(code: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-example-"));
  try {
    const file = join(folder, "example.ts");
    // It is a module even if it imports nothing.
    await writeFile(file, `${code}\nexport {};\n`);
    await import(pathToFileURL(file).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
