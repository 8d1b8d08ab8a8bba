import { assertEquals } from "@std/assert";
import { build, stop } from "esbuild";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = new URL("../../", import.meta.url);

test("each option of pipeline works in a bundle that imports nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-options-"));
  const outfile = join(folder, "options.mjs");
  try {
    await build({
      entryPoints: [fileURLToPath(new URL("project/bundled/options.js", import.meta.url))],
      alias: { "@hosepipe/streams": fileURLToPath(new URL("mod.ts", root)) },
      bundle: true,
      minify: true,
      format: "esm",
      outfile,
    });
    const { sayOptions } = await import(pathToFileURL(outfile).href);
    assertEquals(
      await sayOptions(),
      "why, bundled, sink, 0, site, its write 1 has not settled, 1, why, why, enough, 0",
    );
  } finally {
    await stop();
    await rm(folder, { recursive: true, force: true });
  }
});
