import { assertEquals } from "@std/assert";
import { build } from "esbuild";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { findChromium } from "../package/_find_chromium.ts";
import { runInChromium } from "../package/_run_in_chromium.ts";

const executable = findChromium();

async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`./modules/${name}.ts`, import.meta.url))],
    ...{ bundle: true, format: "esm", write: false, platform: "browser", logLevel: "silent" },
  });
  return outputFiles![0]!.text;
}

if (executable === undefined) {
  const skip = process.env.HOSEPIPE_REQUIRE_CHROMIUM !== "1";
  test("in Chromium (not found here: set HOSEPIPE_CHROMIUM to its executable)", { skip }, () => {
    throw new Error("Cannot find Chromium: set HOSEPIPE_CHROMIUM to its executable");
  });
} else {
  test("in Chromium stages run in workers: chunks, cut bytes, a module that fails, a cancel", async () => {
    const texts: Record<string, string> = {};
    for (const name of ["square", "lines", "broken"]) texts[`/${name}.txt`] = await bundle(name);
    const { answers } = await runInChromium(executable, {
      entry: new URL("./_page.ts", import.meta.url),
      target: "es2024",
      texts,
      isOld: false,
    });
    assertEquals(answers, {
      squares: [3_000, true],
      linesOfBytes: ["<one>", "<three>"],
      failure: "Error: Cannot start thread: Uncaught Error: this module cannot be loaded",
      cancelled: 4,
    });
  });
}
