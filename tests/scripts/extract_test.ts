import { closeSync, openSync } from "node:fs";
import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { seedContacts } from "../../scenarios/extract/seed/seed_contacts.ts";
import { seedSqlite } from "../../scenarios/extract/seed/seed_sqlite.ts";
import { UsageError } from "../../scripts/command_line/usage_error.ts";
import { readExtractFlags } from "../../scripts/extract/read_extract_flags.ts";
import { inFolder } from "../scenarios/extract/_helpers.ts";
import { endOf, runExtract, startExtract } from "./fixtures/run_extract.ts";

const period = ["--from", "2026-01-01", "--to", "2026-01-31"];
const isLinux = process.platform === "linux";

/** Gives a folder with a seeded source, and the flags to read it. */
function withSeed(
  contacts: number,
  use: (folder: string, flags: readonly string[], messages: number) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    const path = join(folder, "a.sqlite");
    const messages = await seedSqlite(path, seedContacts({ contacts, days: 30, seed: 1 }));
    await use(folder, ["--source", `sqlite:${path}`, ...period], messages);
  });
}

const count = (value: number) => value.toLocaleString("en-US");

const drafts = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.endsWith(".tmp"));

test("a period is written to a file, or to standard output, the same", () =>
  withSeed(50, async (folder, flags, messages) => {
    const out = join(folder, "out.csv");
    const toFile = await runExtract(...flags, "--out", out);
    const text = await readFile(out, "utf8");
    assertEquals([toFile.code, toFile.stderr], [0, ""], "no progress where no one watches");
    const bytes = count(new TextEncoder().encode(text).length);
    const rows = count(messages);
    assertMatch(
      toFile.stdout,
      new RegExp(
        `^rows ${rows} = written ${rows} \\+ skipped 0; ${bytes} bytes in [\\d.]+ s: \\S+\\n$`,
      ),
    );
    assert(
      text.startsWith("contact_id,contact_name,channel,conversation_id,sent_at,sender,text\r\n"),
    );
    const toPipe = await runExtract(...flags, "--out", "-", "--partitions", "3", "--no-projection");
    assertEquals([toPipe.code, toPipe.stdout], [0, text]);
    assertMatch(toPipe.stderr, new RegExp(`^rows ${rows} = written ${rows} \\+ skipped 0; .*\n$`));
    assertEquals(await drafts(folder), []);
  }));

test("columns, delimiter, formulas and time zone are what the flags say", () =>
  withSeed(300, async (_folder, [flag, source]) => {
    const { code, stdout, stderr } = await runExtract(
      ...[flag!, source!, "--from", "2026-01-03", "--to", "2026-01-04T00:00Z", "--out", "-"],
      ...["--time-zone", "Asia/Tokyo", "--fields", "sent_at,text", "--delimiter", "\\t"],
      ...["--batch-size", "5", "--hwm", "1", "--no-progress", "--quiet"],
    );
    assertEquals([code, stderr], [0, ""]);
    const times = [...stdout.matchAll(/^(2026-01-[^\t]+)\t/gm)].map(([, time]) => time!);
    assert(times.length > 0);
    assert(times.every((time) => time >= "2026-01-02T15" && time < "2026-01-04"));
    assertEquals(stdout.split("\r\n")[0], "sent_at\ttext");
    assert(/\t=/.test(stdout) && !/\t'=/.test(stdout));
  }));

test("without a source, generated data is read", () =>
  inFolder(async (folder) => {
    const out = join(folder, "out.csv");
    const { code, stdout, stderr } = await runExtract("--out", out);
    assertEquals([code, stderr], [0, ""]);
    assertMatch(stdout, /^rows 20,517 = written 20,517 \+ skipped 0; 2,049,156 bytes in /);
  }));

test("another runtime gives the same bytes", () =>
  withSeed(50, async (_folder, flags) => {
    const other = currentRuntime().name === "deno" ? "bun" : "deno";
    const [here, there] = [
      await runExtract(...flags, "--out", "-", "--quiet"),
      await runExtract(...flags, "--out", "-", "--quiet", "--runtime", other),
    ];
    assertEquals(there, here);
  }));

test("what the command line has wrong is told in one line, with exit code 2", () =>
  inFolder(async (folder) => {
    const out = ["--out", join(folder, "a.csv")];
    const cases: [args: string[], message: RegExp][] = [
      [["--sauce", "x"], /^Unknown flag --sauce; the flags are --source, /],
      [["--source", "x"], /^--source must be sqlite:FILE, postgres:\/\/… or mongodb:\/\/…, got x$/],
      [["--source", "sqlite:x"], /^--from is needed: a date such as 2026-01-31, or a time$/],
      [["--from", "2026-02-30"], /^--from must be a date such as .*, got "2026-02-30"$/],
      [["--from", "2026-01-05", "--to", "2026-01-05"], /^--to must be after --from, got /],
      [["--time-zone", "Mars"], /^--time-zone must be an IANA time zone such as .*, got Mars$/],
      [["--source"], /^--source needs a value/],
      [["--source", ""], /^--source needs a value/],
      [["--out="], /^--out needs a value/],
      [["--source", "sqlite:x", "--table", ""], /^--table needs a value/],
      [["--from", "2026-01-01T00:00+14:01"], /^--from must have an offset from -14:00 to \+14:00/],
      [["--fields", "text,size"], /^--fields must be of contact_id, .*, got size$/],
      [["--fields", "text:"], /^--fields must be names between commas, .*, got "text:"$/],
      [["--table", "x"], /^--table needs a --source: sqlite:FILE, /],
      [
        ["--source", "sqlite:x", "--table", "x", "--query", "y"],
        /^Only one of --table and --query /,
      ],
      [
        ["--source", "sqlite:x", "--table", "x", "--from", "2026-01-01"],
        /^--from needs a --time-field$/,
      ],
      [["--order-by", "x"], /^--order-by needs a --table, /],
      [
        ["--source", "sqlite:x", "--table", "x", "--order-by", "x:up"],
        /^--order-by must be names /,
      ],
      [
        ["--source", "sqlite:x", "--query", "x", "--partitions", "2"],
        /^--partitions needs a --table /,
      ],
      [
        ["--source", "mongodb://x", "--collection", "x"],
        /^--fields is needed, .* --format ndjson$/,
      ],
      [["--filter", "{}"], /^--filter needs a --collection$/],
      [
        ["--source", "mongodb://x", "--collection", "x", "--fields", "a", "--filter", "[]"],
        /^--filter must be a JSON object, got \[\]$/,
      ],
      [
        ["--max-value", "2GiB"],
        /^--max-value must be a number of bytes such as 64MiB, .*, got 2GiB$/,
      ],
      [["--timeout", "0"], /^--timeout must be an integer from 1 to 86400, got "0"$/],
      [["--format", "xml"], /^--format must be one of csv, tsv, ndjson, got xml$/],
      [["--format", "tsv", "--delimiter", ";"], /^--delimiter is of csv, not of tsv$/],
      [["--format", "ndjson", "--null", "x"], /^--null is not of ndjson$/],
      [["--format", "ndjson", "--bom"], /^Cannot write NDJSON: it must have no byte order mark$/],
      [["--null", ","], /^Cannot write CSV: the text for NULL must have no delimiter, /],
      [["--delimiter", "ab"], /^Cannot write CSV: delimiter must be one character.*, got "ab"$/],
      [["--batch-size", "0"], /^--batch-size must be an integer from 1 to 100000, got "0"$/],
      [["--partitions", "65"], /^--partitions must be an integer from 1 to 64, got "65"$/],
      [["--on-bad-row", "x"], /^--on-bad-row must be one of fail, skip, got x$/],
      [["--progress", "--no-progress"], /^Only one of --progress and --no-progress /],
    ];
    for (const [args, message] of cases) {
      const errors = assertThrows(() => readExtractFlags([...out, ...args]), UsageError);
      assertMatch(errors.message, message);
      assert(!errors.message.includes("\n"));
    }
    const wrong = await runExtract(...out, "--sauce", "x");
    assertEquals([wrong.code, wrong.stdout], [2, ""]);
    assertMatch(wrong.stderr, /^Unknown flag --sauce; the flags are --source, .*\n$/);
    const nowhere = await runExtract("--out", join(folder, "no", "a.csv"));
    assertEquals([nowhere.code, nowhere.stdout], [2, ""]);
    assertMatch(nowhere.stderr, /^Cannot write --out .*: no such folder\n$/);
    assertEquals(await readdir(folder), []);
    const help = await runExtract("--help");
    assertEquals([help.code, help.stderr], [0, ""]);
    assertMatch(help.stdout, /--batch-size N/);
  }));

test("what is wrong with the source is told in one line, and the target stays as it was", () =>
  withSeed(50, async (folder, flags) => {
    const out = join(folder, "out.csv");
    await writeFile(out, "old");
    const database = new DatabaseSync(join(folder, "a.sqlite"));
    database.exec("UPDATE messages SET sent_at = NULL WHERE id = 100; DROP INDEX messages_sent_at");
    database.close();
    const failed = await runExtract(...flags, "--out", out);
    assertEquals([failed.code, failed.stdout], [1, ""]);
    assertMatch(
      failed.stderr,
      /^Warning: no index .*\nCannot read a row of sqlite:\S+: row message=100: sent_at is NULL, so that it has no place in time; 0 rows were written\n$/,
    );
    assertEquals([await readFile(out, "utf8"), await drafts(folder)], ["old", []]);
    const skipped = await runExtract(...flags, "--out", out, "--on-bad-row", "skip");
    assertEquals(skipped.code, 0);
    assertMatch(
      skipped.stderr,
      /\nWarning: 1 row was skipped: sent_at is NULL, .*; the first: row message=100\n$/,
    );
    assertMatch(skipped.stdout, /^rows [\d,]+ = written [\d,]+ \+ skipped 1; /);
    const absent = await runExtract("--source", `sqlite:${folder}/b`, ...period, "--out", out);
    assertEquals([absent.code, absent.stderr], [
      1,
      `Cannot open sqlite:${folder}/b: no such file\n`,
    ]);
  }));

test(
  "a full disk is told in one line, with exit code 1",
  { skip: !isLinux },
  () =>
    withSeed(50, async (_folder, flags) => {
      const message = "no space left on the device; 0 rows were written\n";
      const { code, stderr } = await runExtract(...flags, "--out", "/dev/full");
      assertEquals([code, stderr], [1, `Cannot write /dev/full: ${message}`]);
      const full = openSync("/dev/full", "w");
      const child = await startExtract([...flags, "--out", "-"], {
        stdio: ["ignore", full, "pipe"],
      });
      closeSync(full);
      const end = await endOf(child);
      assertEquals([end.code, end.stderr], [1, `Cannot write standard output: ${message}`]);
    }),
);

test("a pipe that is closed early ends it without a word", () =>
  withSeed(50, async (_folder, flags) => {
    const child = await startExtract([...flags, "--out", "-"]);
    child.stdout!.once("data", () => child.stdout!.destroy());
    let stderr = "";
    child.stderr!.on("data", (text) => stderr += text);
    const code = await new Promise((resolve) => child.once("exit", resolve));
    assertEquals([code, stderr], [0, ""]);
  }));

test(
  "a symbolic link stays one",
  { skip: process.platform === "win32" },
  () =>
    withSeed(3, async (folder, flags) => {
      const [target, link] = [join(folder, "target.csv"), join(folder, "link.csv")];
      await writeFile(target, "old");
      await symlink(target, link);
      assertEquals((await runExtract(...flags, "--out", link)).code, 0);
      assert((await readFile(target, "utf8")).startsWith("contact_id"));
      assertEquals(await readFile(link, "utf8"), await readFile(target, "utf8"));
    }),
);

test("Ctrl-C leaves the target as it was and nothing beside it, with exit code 130", {
  skip: process.platform === "win32",
}, () =>
  withSeed(2_000, async (folder, flags) => {
    const out = join(folder, "out.csv");
    await writeFile(out, "old");
    const child = await startExtract([...flags, "--out", out, "--batch-size", "1"]);
    const end = endOf(child);
    while ((await drafts(folder)).length === 0) await wait(2);
    // By its number: after kill() Deno tells the signal and not the exit code.
    process.kill(child.pid!, "SIGINT");
    const { code, stdout, stderr } = await end;
    assertEquals([code, stdout, stderr], [130, "", ""]);
    assertEquals([await readFile(out, "utf8"), await drafts(folder)], ["old", []]);
  }));

test("Ctrl-C ends it too while nobody reads its output, with exit code 130", {
  skip: process.platform === "win32",
}, () =>
  withSeed(2_000, async (_folder, flags) => {
    const child = await startExtract([...flags, "--out", "-"]);
    const exited = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
    let stderr = "";
    child.stderr!.on("data", (text) => stderr += text);
    // Its first bytes are there; what follows is more than a pipe holds.
    await new Promise((resolve) => child.stdout!.once("readable", resolve));
    await wait(300);
    process.kill(child.pid!, "SIGINT");
    const code = await Promise.race([exited, wait(10_000, "hangs", { ref: false })]);
    if (code === "hangs") child.kill("SIGKILL");
    child.stdout!.destroy();
    assertEquals([code, stderr], [130, ""]);
  }));

test("killed at any moment, the target is what it was, or whole", {
  skip: process.platform === "win32",
}, () =>
  withSeed(200, async (folder, flags) => {
    const out = join(folder, "whole.csv");
    const startedAtMs = performance.now();
    await runExtract(...flags, "--out", out);
    const elapsedMs = performance.now() - startedAtMs;
    const whole = await readFile(out, "utf8");
    // With those of the other two runtimes it is two hundred.
    const kills = currentRuntime().name === "deno" ? 68 : 66;
    const found = { absent: 0, old: 0, whole: 0 };
    let next = 0;
    const killOne = async (index: number) => {
      const target = join(folder, `${index}.csv`);
      if (index % 2 === 0) await writeFile(target, "old");
      const child = await startExtract([...flags, "--out", target], { stdio: "ignore" });
      const ended = new Promise((resolve) => child.once("exit", resolve));
      // From when its first line may run to when it may have ended.
      const atMs = elapsedMs * (0.2 + 1.3 * Math.random());
      await Promise.race([wait(atMs), ended]);
      child.kill("SIGKILL");
      await ended;
      const text = await readFile(target, "utf8").catch(() => undefined);
      const before = index % 2 === 0 ? "old" : undefined;
      assert(text === before || text === whole, `kill ${index} left ${text?.length} characters`);
      found[text === whole ? "whole" : before ?? "absent"]++;
    };
    const work = async () => {
      while (next < kills) await killOne(next++);
    };
    await Promise.all([work(), work(), work()]);
    assertEquals(found.absent + found.old + found.whole, kills);
    assert(found.absent > 0 && found.old > 0, JSON.stringify(found));
  }));
