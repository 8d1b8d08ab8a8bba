import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { semantics } from "../../scenarios/semantics/command.ts";

const { name, version } = currentRuntime();
// What runs the test is what the command shall find, whatever PATH says.
process.env[`HOSEPIPE_${name.toUpperCase()}`] = process.execPath;

const { signal } = new AbortController();

test("tables are written, found equal, and fail the command once they differ, until explained", async () => {
  const path = await mkdtemp(join(tmpdir(), "hosepipe-semantics-test-"));
  try {
    const folder = pathToFileURL(`${path}/`);
    const run = async (...args: string[]) => {
      let text = "";
      const print = (line: string) => void (text += `${line}\n`);
      const code = await semantics(["--runtime", name, ...args], signal, { folder, print });
      return { code, text };
    };

    const written = await run("--update", "--all");
    assertEquals(written.code, 0);
    assertStringIncludes(written.text, `${name}-${version}.json: written`);
    assertStringIncludes(written.text, `expected table of ${version}: no difference`);
    // deno-lint-ignore no-control-regex
    assert(!/\x1b/.test(written.text), "no colour when piped");
    assertStringIncludes(written.text, "Who learns of an error");
    const tooWide = written.text.split("\n").slice(1).filter((line) => line.length > 80);
    assertEquals(tooWide, []);

    const file = join(path, `${name}-${version}.json`);
    const table = JSON.parse(await readFile(file, "utf8"));
    const read = table.facts["no-writer"]["5 web"].read;
    table.facts["no-writer"]["5 web"].read = 99;
    await writeFile(file, JSON.stringify(table));
    const changed = await run();
    assertEquals(changed.code, 1);
    assertStringIncludes(changed.text, "8. A highWaterMark counts chunks");
    assertStringIncludes(changed.text, "deno task dev semantics --all");
    assert(!changed.text.includes("Who learns of an error"));
    assertStringIncludes(changed.text, "1 fact differs, 1 not explained");
    assertStringIncludes(
      changed.text,
      `no-writer / 5 web / read\n- 99\n+ ${read}\n  not explained`,
    );

    table.explanations = { "no-writer / 5 web / read": { measured: read, because: "a test" } };
    await writeFile(file, JSON.stringify(table));
    const explained = await run("--format", "json");
    assertEquals(explained.code, 0);
    const { schema, runtimes } = JSON.parse(explained.text);
    assertEquals([schema, runtimes.length, runtimes[0].name], [1, 1, name]);
    assertEquals(runtimes[0].facts["no-writer"]["5 web"].read, read);
    assertEquals(runtimes[0].differences, [
      { place: "no-writer / 5 web / read", expected: 99, measured: read, because: "a test" },
    ]);
  } finally {
    await rm(path, { recursive: true });
  }
});
