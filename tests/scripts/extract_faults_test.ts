import { type ChildProcess, execFileSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import {
  link,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import process from "node:process";
import postgres from "postgres";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { UsageError } from "../../scenarios/command_line/parse_command_line.ts";
import { checkOut } from "../../scenarios/extract/command.ts";
import { seedSource } from "../../scenarios/extract/seed/command.ts";
import { seedContacts } from "../../scenarios/extract/seed/seed_contacts.ts";
import { endOf } from "../lib/start_script.ts";
import { until } from "../lib/until.ts";
import { untilItHeedsSignals } from "../lib/until_it_heeds_signals.ts";
import { inFolder, inSqlite, mongodbTest, postgresTest } from "../scenarios/extract/_helpers.ts";
import { withProxy } from "../scenarios/extract/sources/_proxy.ts";
import { period, runByShell, runExtract, startExtract, withSeed } from "./fixtures/run_extract.ts";

const faults: (readonly [fault: string, end: string])[] = [];

/** What a fault needs to be tried. */
interface FaultOptions {
  /** Only where this is true; elsewhere it is skipped by name. Default: everywhere but on Windows. */
  readonly where?: boolean;
  /** How the test is registered; default: `test`. */
  readonly register?: (name: string, run: (address: string) => Promise<void>) => void;
}

/** A test of a fault, which is a line of the table in `docs/research/extract-measured.md` too: what happens, and how it ends. */
function fault(
  what: string,
  end: string,
  run: (address: string) => Promise<void>,
  { where = process.platform !== "win32", register }: FaultOptions = {},
): void {
  faults.push([what, end]);
  const name = `${what}: ${end}`;
  if (register !== undefined && where) return register(name, run);
  test(name, { skip: !where }, () => run(""));
}

const marks = ["<!-- faults -->\n", "\n<!-- /faults -->"] as const;

/**
 * A test that a file's table of faults is what the tests before are of; with `HOSEPIPE_WRITE_FAULTS` it is written.
 */
function faultTableTest(file: URL): void {
  test("the table of faults in the documentation is that of these tests", async () => {
    const text = await readFile(file, "utf8");
    const [start, end] = [text.indexOf(marks[0]) + marks[0].length, text.indexOf(marks[1])];
    const columns = [["what happens", "how it ends"], ...faults].map((row) =>
      row.map((cell) => cell.replaceAll("|", "\\|"))
    );
    const widths = [0, 1].map((index) => Math.max(...columns.map((row) => row[index]!.length)));
    const lines = columns.map((row) =>
      `| ${row.map((cell, index) => cell.padEnd(widths[index]!)).join(" | ")} |`
    );
    lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
    const table = `\n${lines.join("\n")}\n`;
    if (process.env.HOSEPIPE_WRITE_FAULTS) {
      await writeFile(file, text.slice(0, start) + table + text.slice(end));
    } else assertEquals(text.slice(start, end).trim(), table.trim());
  });
}

const isLinux = process.platform === "linux";

/** Gives the path of an SQLite file that `sql` has made. */
function withFile(
  sql: string,
  use: (folder: string, source: readonly string[], path: string) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    const path = join(folder, "a.sqlite");
    inSqlite(path, sql);
    await use(folder, ["--source", `sqlite:${path}`], path);
  });
}

const drafts = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.startsWith(".") && name.endsWith(".tmp"));

/** Whether a process has a file open, on Linux. */
async function hasOpen(pid: number, path: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const links = (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => ""));
  return (await Promise.all(links)).includes(path);
}

/** The exit code, or what it says of one that goes on for 20 s. */
async function codeOf(child: ChildProcess): Promise<unknown> {
  const exited = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  const code = await Promise.race([exited, wait(20_000, "hangs", { ref: false })]);
  if (code === "hangs") child.kill("SIGKILL");
  return code;
}

const rows = (count: number, text: string) => [
  "--query",
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) ` +
  `SELECT i, '${text}' AS t FROM n`,
];

/** A million short rows, which take a second or more. */
const manyRows = rows(1_000_000, "a text that is of some length");

fault(
  "`--out` is the source: by its path, a link, a second name, its log, by `>>`",
  "refused, exit code 2; it is as it was",
  () =>
    withFile("CREATE TABLE t (a); INSERT INTO t VALUES (1)", async (folder, source, path) => {
      await mkdir(join(folder, "b"));
      const [symbolic, hard] = [join(folder, "symbolic"), join(folder, "hard")];
      await symlink(path, symbolic);
      await link(path, hard);
      const before = await readFile(path);
      const outs = [path, symbolic, hard, join(folder, "b", "..", "a.sqlite"), `${path}-wal`];
      const address = source[1]!;
      const refused = /^Cannot write --out \S+: it is the source$/;
      for (const out of outs) {
        assertMatch(
          (await assertRejects(() => checkOut(out, address), UsageError)).message,
          refused,
        );
      }
      await assertRejects(() => checkOut(hard, `sqlite:${symbolic}`), UsageError, "is the source");
      // The folder by another name, and standard output by a shell.
      await symlink(folder, join(folder, "c"));
      const besides = join(folder, "c", "a.sqlite-wal");
      await assertRejects(() => checkOut(besides, address), UsageError, "is the source");
      // What refuses is the command's own check; that the command calls it, one of them shows.
      const { code, stdout, stderr } = await runExtract(
        ...[...source, "--table", "t", "--out", symbolic],
      );
      assertEquals([code, stdout], [2, ""]);
      assertMatch(stderr.trimEnd(), refused);
      const appended = await runByShell(
        `exec "$@" >> '${path}'`,
        ...[...source, "--table", "t", "--out", "-"],
      );
      assertEquals([appended.code, appended.stderr], [
        2,
        "Cannot write --out -: it is the source\n",
      ]);
      assertEquals(await readFile(path), before);
    }),
);

fault(
  "no row in the period, and the file is there",
  "it stays as it was, exit code 1; with `--force` it is replaced",
  () =>
    withSeed(3, async (folder, [flag, source]) => {
      const out = join(folder, "out.csv");
      const args = [flag!, source!, "--from", "2020-01-01", "--to", "2020-01-02", "--out", out];
      const first = await runExtract(...args);
      assertEquals([first.code, (await readFile(out, "utf8")).split("\r\n").length], [0, 2]);
      await writeFile(out, "old");
      const left = await runExtract(...args);
      assertEquals([left.code, await readFile(out, "utf8")], [1, "old"]);
      assertMatch(left.stdout, /^rows 0 = written 0 \+ skipped 0; /);
      assertMatch(
        left.stderr,
        /^There are no rows: \S+ stays as it was; --force would replace it\n$/,
      );
      const forced = await runExtract(...args, "--force");
      assertEquals([forced.code, (await readFile(out, "utf8")).split("\r\n").length], [0, 2]);
      assertEquals(await drafts(folder), []);
    }),
);

/** The most memory a process has held until its end, in MiB. */
async function peakOf(child: ChildProcess): Promise<number> {
  let peak = 0;
  let isOver = false;
  child.once("exit", () => isOver = true);
  while (!isOver) {
    const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
    peak = Math.max(peak, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
    // What it has held at most is kept by the system until its end, so that few looks are enough.
    await wait(25);
  }
  return peak;
}

fault(
  "20 rows of 6 MB, and a value of 64 MB",
  "written; the memory is bounded by the largest value",
  () =>
    withFile(
      "CREATE TABLE rows (t); CREATE TABLE one (t);" +
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) " +
        // A quote in 30 characters here, where it is the number of rows that matters, and one in 4 in the large value.
        `INSERT INTO rows SELECT replace(hex(zeroblob(100000)), '0', '",abcdefghijklmnopqrstuvwxyz12') FROM n;` +
        `INSERT INTO one VALUES (replace(hex(zeroblob(8000000)), '0', '"ü,'))`,
      async (folder, source) => {
        const cases = [["rows", 6_000_000, 20], ["one", 64_000_000, 1]] as const;
        for (const [table, bytes, rows] of cases) {
          const most = 3 * bytes / 2 ** 20 + 150;
          let peak = Infinity;
          // A peak depends on when garbage is collected; what holds too much is too high each time.
          for (let attempt = 0; attempt < 4 && peak >= most; attempt++) {
            const out = join(folder, `${table}.csv`);
            const child = startExtract([...source, "--table", table, "--out", out]);
            const [{ code, stdout }, measured] = await Promise.all([endOf(child), peakOf(child)]);
            assertEquals(code, 0);
            assertMatch(
              stdout,
              new RegExp(`^rows ${rows} = written ${rows} \\+ skipped 0; `),
            );
            const each = bytes / (table === "rows" ? 30 : 4);
            assertEquals((await stat(out)).size, 3 + rows * (bytes + each + 4));
            await rm(out);
            peak = Math.min(peak, measured);
          }
          assert(peak > 20 && peak < most, `${peak} MiB of ${most}`);
        }
      },
    ),
  { where: isLinux },
);

fault(
  "a value larger than `--max-value`",
  "never fetched; its row is named, exit code 1, or skipped and counted",
  () =>
    withFile(
      "CREATE TABLE t (a); INSERT INTO t VALUES (1), (zeroblob(2000))",
      async (_, source) => {
        const args = [...source, "--table", "t", "--max-value", "1KiB", "--out", "-"];
        const failed = await runExtract(...args);
        assertEquals([failed.code, failed.stdout], [1, ""]);
        assertMatch(
          failed.stderr,
          /: row rowid=2: a is larger than --max-value; 0 rows were written\n$/,
        );
        const skipped = await runExtract(...args, "--on-bad-row", "skip");
        assertEquals([skipped.code, skipped.stdout], [0, "a\r\n1\r\n"]);
        assertEquals(
          skipped.stderr.replace(/; \d+ bytes.*/, ""),
          "Warning: 1 row was skipped: a is larger than --max-value; the first: row rowid=2\n" +
            "rows 2 = written 1 + skipped 1\n",
        );
      },
    ),
);

fault(
  "texts with U+0000 and texts that are no UTF-8",
  "the first come whole in every runtime, the others are named or counted",
  () =>
    withFile(
      "CREATE TABLE t (a); INSERT INTO t VALUES ('x' || char(0) || 'y'), (CAST(x'ff41' AS TEXT))",
      async (_, source) => {
        const args = [...source, "--table", "t", "--out", "-", "--quiet"];
        const skipped = await runExtract(...args, "--on-bad-row", "skip");
        assertEquals([skipped.code, skipped.stdout], [0, "a\r\nx\0y\r\n"]);
        assertMatch(skipped.stderr, /^Warning: 1 row was skipped: a is text that is not valid; /);
        assertEquals((await runExtract(...args)).code, 1);
      },
    ),
);

fault(
  "the file is locked",
  "waited for; after `--timeout` an error, exit code 1; Ctrl-C ends it at once",
  () =>
    withFile("CREATE TABLE t (a); INSERT INTO t VALUES (1)", async (_, source, path) => {
      const writer = new DatabaseSync(path);
      writer.exec("BEGIN EXCLUSIVE");
      const args = [...source, "--table", "t", "--out", "-", "--quiet"];
      const timedOut = await runExtract(...args, "--timeout", "1");
      assertEquals([timedOut.code, timedOut.stdout], [1, ""]);
      assertMatch(timedOut.stderr, /^Cannot open sqlite:\S+: it was locked for 1 s\n$/);
      const [interrupted, patient] = [startExtract(args), startExtract(args)];
      const [code, end] = [codeOf(interrupted), endOf(patient)];
      await untilItHeedsSignals(interrupted.pid!);
      if (isLinux) await until(() => hasOpen(interrupted.pid!, path));
      process.kill(interrupted.pid!, "SIGINT");
      assertEquals(await code, 130);
      writer.exec("COMMIT");
      writer.close();
      assertEquals(await end, { code: 0, stdout: "a\r\n1\r\n", stderr: "" });
    }),
);

fault(
  "the output is a pipe that is read slowly, and the file has no write-ahead log",
  "a copy is read: others write the file meanwhile",
  () =>
    withSeed(300, async (folder, flags, messages) => {
      const child = startExtract([...flags, "--out", "-", "--quiet"]);
      await new Promise((resolve) => child.stdout!.once("readable", resolve));
      const writer = new DatabaseSync(join(folder, "a.sqlite"));
      writer.exec("PRAGMA busy_timeout = 0; DELETE FROM messages WHERE id > 5");
      writer.close();
      const { code, stdout } = await endOf(child);
      assertEquals(code, 0);
      assertEquals([...stdout.matchAll(/T\d\d:\d\d:\d\d\.\d{3}Z,/g)].length, messages);
    }),
);

fault(
  "the disk is full",
  "exit code 1, with the rows written",
  () =>
    withSeed(50, async (_folder, flags) => {
      const message = "no space left on the device; 0 rows were written\n";
      const { code, stderr } = await runExtract(...flags, "--out", "/dev/full");
      assertEquals([code, stderr], [1, `Cannot write /dev/full: ${message}`]);
      const full = openSync("/dev/full", "w");
      const child = startExtract([...flags, "--out", "-"], {
        stdio: ["ignore", full, "pipe"],
      });
      closeSync(full);
      const end = await endOf(child);
      assertEquals([end.code, end.stderr], [1, `Cannot write standard output: ${message}`]);
    }),
  { where: isLinux },
);

fault(
  "`ulimit -f`: the file becomes larger than it may",
  "exit code 1, with the rows written; nothing is left beside the target",
  () =>
    withFile("CREATE TABLE t (a)", async (folder, source) => {
      const out = join(folder, "out.csv");
      // More than what a runtime itself writes at its start, but for Deno's cache of compiled code, which is one file.
      const own = currentRuntime().name === "deno" ? "--no-code-cache" : "";
      const { code, stderr } = await runByShell(
        `ulimit -f 16384; runtime=$1 first=$2; shift 2; exec "$runtime" "$first" ${own} "$@"`,
        ...[...source, ...rows(100_000, "a long text".padEnd(1_000, ".")), "--out", out],
      );
      assertEquals(code, 1);
      assertMatch(
        stderr,
        /^Cannot write \S+: the file would be too large; \d+ rows were written\n$/,
      );
      assertEquals((await readdir(folder)).sort(), ["a.sqlite"]);
    }),
);

fault(
  "standard output is closed",
  "refused, exit code 2, and not written to what took its place",
  () =>
    withSeed(3, async (_, flags) => {
      const { code, stderr } = await runByShell('exec "$@" >&-', ...flags, "--out", "-");
      assertEquals([code, stderr], [2, "Cannot write --out -: standard output is closed\n"]);
      assertEquals((await runByShell('exec "$@" >/dev/null', ...flags, "--out", "-")).code, 0);
    }),
  { where: isLinux },
);

fault(
  "`--out /dev/stdout`",
  "is `--out -`: a file behind it is not truncated",
  () =>
    withSeed(3, async (folder, flags) => {
      const out = join(folder, "all.txt");
      const { code } = await runByShell(
        `{ echo before; "$@"; echo after; } > '${out}'`,
        ...[...flags, "--fields", "text", "--out", "/dev/stdout"],
      );
      assertEquals(code, 0);
      const text = await readFile(out, "utf8");
      assert(text.startsWith("before\ntext\r\n") && text.endsWith("\r\nafter\n"));
    }),
  { where: isLinux },
);

fault(
  "`--out` is a link",
  "it stays one: what it leads to is replaced, or made if it is not there",
  () =>
    withSeed(3, async (folder, flags) => {
      const target = join(folder, "target.csv");
      const symbolic = join(folder, "link.csv");
      await symlink("target.csv", symbolic);
      for (const _ of ["made", "replaced"]) {
        assertEquals((await runExtract(...flags, "--out", symbolic)).code, 0);
        assert((await readFile(target, "utf8")).startsWith("contact_id"));
        assertEquals(await readFile(symbolic, "utf8"), await readFile(target, "utf8"));
        await writeFile(target, "old");
      }
      await symlink("round", join(folder, "round"));
      const round = await runExtract(...flags, "--out", join(folder, "round"));
      assertEquals(round.code, 2);
      assertMatch(round.stderr, /: its links lead round in a circle\n$/);
    }),
);

fault(
  "`--out` is a named pipe",
  "a reader is waited for, and gets all; without one Ctrl-C ends it",
  () =>
    withSeed(100, async (folder, flags, messages) => {
      const pipe = join(folder, "pipe");
      execFileSync("mkfifo", [pipe]);
      const args = [...flags, "--fields", "message_id", "--out", pipe, "--no-header"];
      const alone = startExtract(args);
      const code = codeOf(alone);
      await untilItHeedsSignals(alone.pid!);
      process.kill(alone.pid!, "SIGINT");
      assertEquals(await code, 130);
      const end = endOf(startExtract(args));
      const text = execFileSync("cat", [pipe], { encoding: "utf8", maxBuffer: 1e9 });
      assertEquals([(await end).code, text.split("\r\n").length - 1], [0, messages]);
    }),
);

fault(
  "a pipe is closed early",
  "it ends silently, exit code 0",
  () =>
    withSeed(50, async (_folder, flags) => {
      const child = startExtract([...flags, "--out", "-"]);
      child.stdout!.once("data", () => child.stdout!.destroy());
      let stderr = "";
      child.stderr!.on("data", (text) => stderr += text);
      assertEquals([await codeOf(child), stderr], [0, ""]);
    }),
);

fault(
  "Ctrl-C",
  "the target is as it was, nothing is left beside it, exit code 130",
  () =>
    withFile("CREATE TABLE t (a)", async (folder, source) => {
      const out = join(folder, "out.csv");
      await writeFile(out, "old");
      for (const compress of [[], ["--compress", "zstd"]]) {
        const child = startExtract([...source, ...manyRows, "--out", out, ...compress]);
        const end = endOf(child);
        await until(async () => (await drafts(folder)).length > 0);
        // By its number: after kill() Deno tells the signal and not the exit code.
        process.kill(child.pid!, "SIGINT");
        const { code, stdout, stderr } = await end;
        assertEquals([code, stdout, stderr], [130, "", ""]);
        assertEquals([await readFile(out, "utf8"), await drafts(folder)], ["old", []]);
      }
    }),
);

fault(
  "Ctrl-C while the output is not read",
  "exit code 130",
  () =>
    withFile("CREATE TABLE t (a)", async (_folder, source) => {
      const child = startExtract([...source, ...manyRows, "--out", "-"]);
      let stderr = "";
      child.stderr!.on("data", (text) => stderr += text);
      const code = codeOf(child);
      // Its first bytes are there; what follows is more than a pipe holds.
      await new Promise((resolve) => child.stdout!.once("readable", resolve));
      await wait(300);
      process.kill(child.pid!, "SIGINT");
      assertEquals([await code, stderr], [130, ""]);
      child.stdout!.destroy();
    }),
);

fault(
  "`kill -9` at any moment",
  "the target is what it was, or whole",
  () =>
    withFile("CREATE TABLE t (a)", async (folder, source) => {
      const args = [...source, ...rows(20_000, "a text of 115 letters".padEnd(115, ".")), "--out"];
      const out = join(folder, "whole.csv");
      assertEquals((await runExtract(...args, out)).code, 0);
      const whole = await readFile(out, "utf8");
      const kills = 12;
      const found = { absent: 0, old: 0, whole: 0 };
      let next = 0;
      const killOne = async (index: number) => {
        const name = `${index}.csv`;
        const target = join(folder, name);
        if (index % 2 === 0) await writeFile(target, "old");
        const child = startExtract([...args, target], { stdio: "ignore" });
        const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
        let isOver = false;
        void ended.then(() => isOver = true);
        // At the start, at the end, and spread over all that it writes between.
        const atBytes = whole.length * index / (kills - 4);
        await until(async () => {
          const draft = (await drafts(folder)).find((one) => one.startsWith(`.${name}.`));
          if (draft === undefined) return isOver || index < 2;
          const { size } = await stat(join(folder, draft)).catch(() => ({ size: 0 }));
          return isOver || size >= atBytes;
        });
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
    }),
);

fault(
  "a draft is left by `kill -9`",
  "the next run for the same target removes it, and says so",
  () =>
    withFile("CREATE TABLE t (a); INSERT INTO t VALUES (1)", async (folder, source) => {
      const out = join(folder, "out.csv");
      const child = startExtract([...source, ...manyRows, "--out", out], { stdio: "ignore" });
      await until(async () => (await drafts(folder)).length > 0);
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("exit", resolve));
      const [left] = await drafts(folder) as [string];
      // Of another target, and of a run that goes on: neither is touched.
      const others = [
        left.replace("out.csv", "other.csv"),
        left.replace(/-\d+-/, `-${process.pid}-`),
      ];
      for (const name of others) await writeFile(join(folder, name), "theirs");
      const { code, stderr } = await runExtract(...source, "--table", "t", "--out", out);
      assertEquals(code, 0);
      assertMatch(stderr, /^Removed (\S+), \d+ bytes that a run which was killed had left\n$/);
      assert(stderr.includes(left));
      assertEquals((await readdir(folder)).sort(), [...others, "a.sqlite", "out.csv"].sort());
    }),
);

fault(
  "the command that runs another runtime is killed",
  "that one ends too, and leaves no draft",
  () =>
    withFile("CREATE TABLE t (a)", async (folder, source) => {
      const other = currentRuntime().name === "deno" ? "node" : "deno";
      const child = startExtract(
        [...source, ...manyRows, "--out", join(folder, "out.csv"), "--runtime", other],
        { stdio: "ignore" },
      );
      await until(async () => (await drafts(folder)).length > 0);
      const pid = Number(/-(\d+)-/.exec((await drafts(folder))[0]!)![1]);
      assert(pid !== child.pid);
      child.kill("SIGKILL");
      await until(() => {
        try {
          return !process.kill(pid, 0);
        } catch {
          return true;
        }
      });
      assertEquals(await readdir(folder), ["a.sqlite"]);
    }),
);

for (const [name, register] of [["MongoDB", mongodbTest], ["PostgreSQL", postgresTest]] as const) {
  fault(
    `${name} says nothing any more`,
    "an error after `--timeout`, exit code 1, the target as it was",
    async (address) => {
      await seedSource(address, seedContacts({ contacts: 40, days: 30, seed: 1 }));
      await withProxy(address, (proxy) =>
        inFolder(async (folder) => {
          const out = join(folder, "out.csv");
          await writeFile(out, "old");
          for (const bytes of [20_000, 1]) {
            proxy.stallAfter(bytes);
            const { code, stdout, stderr } = await runExtract(
              ...["--source", proxy.address, ...period, "--out", out],
              ...["--timeout", "1", "--batch-size", "16"],
            );
            assertEquals([code, stdout], [1, ""]);
            assertMatch(stderr, /^Cannot (?:open|read) .*\n$/);
            assertEquals([await readFile(out, "utf8"), await drafts(folder)], ["old", []]);
          }
        }));
    },
    { register },
  );
}

fault(
  "an export from PostgreSQL is killed",
  "its session there ends within seconds",
  async (address) => {
    const server = postgres(address, { max: 1, onnotice() {} });
    const sessions = async () => {
      const [row] = await server`SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE application_name = 'hosepipe extract' AND datname = current_database()`;
      return row!.count as number;
    };
    try {
      // It works for minutes before it has a row.
      const slow =
        "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b";
      const child = startExtract(["--source", address, "--query", slow, "--out", "-"]);
      await until(async () => await sessions() > 0);
      await wait(300);
      child.kill("SIGKILL");
      await until(async () => await sessions() === 0);
    } finally {
      await server.end({ timeout: 0 });
    }
  },
  { register: postgresTest },
);

faultTableTest(new URL("../../docs/research/extract-measured.md", import.meta.url));
