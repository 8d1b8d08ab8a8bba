import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { ResultFile } from "../../bench/results/result.ts";
import { writeResultFile } from "../../bench/results/write_result_file.ts";
import { readme } from "../../scripts/readme.ts";
import { makeRow } from "../bench/results/_make_row.ts";

const results: ResultFile = {
  schema: 1,
  commit: "0123456789abcdef",
  dirty: true,
  startedAt: "2026-11-21T10:00:00.000Z",
  elapsedMs: 1,
  machine: { cpu: "Abacus", cores: 2, memoryGiB: 8, os: "Linux 6 x64" },
  seed: 4,
  profile: "quick",
  complete: true,
  rows: [
    makeRow({ workload: "copy_lines", contestant: "web" }),
    makeRow({ workload: "passthrough", contestant: "web", samples: [2000] }),
    makeRow({ workload: "passthrough", contestant: "web", params: { passes: 9 }, samples: [3000] }),
    makeRow({ workload: "passthrough", contestant: "hand", samples: [20] }),
    makeRow({ workload: "passthrough", contestant: "noop", params: {}, samples: [0.000_05] }),
    makeRow({
      ...{ workload: "passthrough", contestant: "web", runtime: "bun", runtimeVersion: "1.4.5" },
      samples: [40],
    }),
    {
      ...{ workload: "passthrough", contestant: "hand", runtime: "node", runtimeVersion: "26.0.0" },
      ...{ params: { passes: 9 }, error: "timed out" },
    },
  ],
};

const block = `
| bun 1.4.5 | passes=0 | passes=9 |
| --------- | -------: | -------: |
| web       |  40.0 ms |        – |

| node 26.0.0 | passes=0 | passes=9 |
| ----------- | -------: | -------: |
| noop        |  50.0 ns |  50.0 ns |
| hand        |  20.0 ms |   failed |
| web         |   2.00 s |   3.00 s |

Medians of one iteration; \`deno task bench --workload passthrough --quick --seed 4\` on Abacus, 2
cores, 8 GiB, Linux 6 x64, 2026-11-21 at commit 0123456 with changes.
`;

async function inFolder(use: (document: string, file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-readme-test-"));
  try {
    const file = join(folder, "results.json");
    await writeResultFile(file, results);
    await use(join(folder, "document.md"), file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const stale =
  "a\n<!-- generated:workload-passthrough -->\nold\n<!-- /generated:workload-passthrough -->\nb\n";

test("blocks are generated from the results, once and for all", () =>
  inFolder(async (document, file) => {
    await writeFile(document, stale);
    assertEquals(await readme([document, "--results", file]), 0);
    assertEquals(
      await readFile(document, "utf8"),
      `a\n<!-- generated:workload-passthrough -->\n${block}\n<!-- /generated:workload-passthrough -->\nb\n`,
    );
    assertEquals(await readme([document, "--results", file, "--check"]), 0);
  }));

test("--check changes nothing and exits 1 if something would", () =>
  inFolder(async (document, file) => {
    await writeFile(document, stale);
    assertEquals(await readme([document, "--results", file, "--check"]), 1);
    assertEquals(await readFile(document, "utf8"), stale);
  }));

test("images are drawn, and --check finds a stale one", () =>
  inFolder(async (document, file) => {
    await writeFile(document, "no block\n");
    const args = [document, "--results", file, "--images", document + ".images"];
    const image = join(document + ".images", "operator-map.svg");
    assertEquals(await readme([...args, "--check"]), 1, "missing is stale");
    await assertRejects(() => readFile(image), Error, "ENOENT", "--check writes nothing");
    assertEquals(await readme(args), 0);
    const drawn = await readFile(image, "utf8");
    assert(drawn.startsWith("<svg ") && drawn.endsWith("</svg>\n"));
    assertEquals(await readme([...args, "--check"]), 0, "to the byte the same");
    await writeFile(image, drawn.replace("map", "mop"));
    assertEquals(await readme([...args, "--check"]), 1);
    assertEquals(await readme(args), 0);
    assertEquals(await readFile(image, "utf8"), drawn);
  }));

test("an unknown generator is an error that names the known, and nothing is written", () =>
  inFolder(async (document, file) => {
    const text = "<!-- generated:constructor -->\n<!-- /generated:constructor -->\n";
    await writeFile(document, text);
    const error = await assertRejects(() => readme([document, "--results", file]), Error);
    assert(error.message.includes("no generator constructor; the generators are bench-claims"));
    assertEquals(await readFile(document, "utf8"), text);
  }));

test("results of another schema, or none, are refused", () =>
  inFolder(async (document, file) => {
    await writeFile(document, stale);
    await writeFile(file, '{"schema":2}');
    await assertRejects(
      () => readme([document, "--results", file]),
      Error,
      "schema must be 1, got 2",
    );
    await assertRejects(() => readme([document, "--results", file + ".gone"]), Error, "ENOENT");
  }));
