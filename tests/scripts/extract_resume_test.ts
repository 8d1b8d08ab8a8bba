import {
  appendFile,
  chmod,
  chown,
  link,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Long, MongoClient, ObjectId } from "mongodb";
import { fileBytes } from "../../scenarios/load/command.ts";
import { guessByName } from "../../scenarios/extract/guess_by_name.ts";
import { endOf } from "../lib/start_script.ts";
import { inFolder, inPostgres, mongodbTest, postgresTest } from "../scenarios/extract/_helpers.ts";
import { runExtract, startExtract } from "./fixtures/run_extract.ts";
import { isThorough } from "../lib/thorough.ts";

const killScript = "tests/scripts/fixtures/killed_extract.ts";

/** Kills of each export that is killed. */
const kills = isThorough ? 50 : 1;

/** So many times the rows, so that each run gets past a checkpoint before it is killed. */
const more = Math.ceil(kills / 5);

const resuming = ["--resume=new-snapshot", "--checkpoint", "1KiB", "--batch-size", "10"];

async function contentOf(path: string): Promise<string> {
  const { compress } = guessByName(path);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for await (const bytes of fileBytes({ path, compress }, new AbortController().signal)) {
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

const hidden = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.startsWith(".")).sort();

/** Runs the export until it kills itself, and says what it said. */
async function killedAt(at: string | number, args: readonly string[]): Promise<string> {
  const child = startExtract([String(at), ...args], { script: killScript });
  const { code, stderr } = await endOf(child);
  assert(child.signalCode === "SIGKILL" || code === 137, `not killed but ${code}: ${stderr}`);
  return stderr;
}

/** Kills an export at many points, has it go on each time, and compares it with one that is left alone. */
async function checkKills(
  folder: string,
  name: string,
  args: readonly string[],
  count = kills,
): Promise<void> {
  const [whole, out] = [join(folder, `whole-${name}`), join(folder, name)];
  const undisturbed = await runExtract(...args, "--out", whole);
  assertEquals(undisturbed.code, 0, undisturbed.stderr);
  const expected = await contentOf(whole);
  const bytes = new TextEncoder().encode(expected).length;
  let went = 0;
  for (let kill = 0; kill < count; kill++) {
    // A quarter more or less than an even share of what is there, and odd.
    const at = Math.floor(bytes / (count + 1) * (0.75 + (kill * 7 % 11) / 22)) + kill;
    const said = await killedAt(at, [...args, ...resuming, "--out", out]);
    if (/^Goes on after row \S/m.test(said)) went++;
    assertEquals((await hidden(folder)).length, 2);
  }
  assert(went >= count - 1, `only ${went} of ${count} runs went on`);
  const last = await runExtract(...args, ...resuming, "--out", out);
  assertEquals(last.code, 0, last.stderr);
  assertMatch(last.stderr, /^Goes on after row .+: [\d,]+ rows, [\d,]+ bytes are there; /m);
  assertEquals(await contentOf(out), expected);
  assertEquals(await hidden(folder), []);
  const written = (text: string) => Number(/written ([\d,]+)/.exec(text)![1]!.replaceAll(",", ""));
  const there = Number(/: ([\d,]+) rows, /.exec(last.stderr)![1]!.replaceAll(",", ""));
  assertEquals(there + written(last.stdout), written(undisturbed.stdout));
}

const tables = `
  CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, n REAL);
  WITH RECURSIVE i(x) AS (SELECT ${-500 * more} UNION ALL SELECT x + 1 FROM i WHERE x < ${
  500 * more
})
  INSERT INTO t SELECT x * 3, 'text ' || x || char(10) || '"q", é' || hex(zeroblob(x & 31)), x / 2.0 FROM i;
  CREATE TABLE pairs (a TEXT COLLATE NOCASE, b, v, PRIMARY KEY (a, b)) WITHOUT ROWID;
  INSERT INTO pairs SELECT 'K''' || (id % 7), CASE id & 3 WHEN 0 THEN id WHEN 1 THEN id / 7.0
    WHEN 2 THEN 'x' || id || char(0) || 'y' ELSE CAST('b' || id AS BLOB) END, v FROM t;
  INSERT INTO pairs VALUES ('', 9e999, 1), ('', -9e999, 1), ('', '', 1), ('', x'', 1);
  CREATE TABLE plain (a); INSERT INTO plain VALUES (1);
  CREATE TABLE named (a TEXT PRIMARY KEY); INSERT INTO named VALUES ('a');`;

function withTables(
  use: (folder: string, source: readonly string[], database: DatabaseSync) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    const database = new DatabaseSync(join(folder, "a.sqlite"));
    database.exec(tables);
    try {
      await use(folder, ["--source", `sqlite:${join(folder, "a.sqlite")}`], database);
    } finally {
      database.close();
    }
  });
}

for (
  const [name, ...args] of [
    ["t.csv", "--table", "t", "--bom"],
    ["t.csv.gz", "--table", "t"],
    ["t.ndjson.zst", "--table", "t", "--partitions", "3"],
    ["pairs.tsv", "--table", "pairs"],
  ] as const
) {
  test(`an export to ${name} that is killed goes on, and gives the same bytes`, () =>
    withTables((folder, source) => checkKills(folder, name, [...source, ...args])));
}

postgresTest(
  "an export of PostgreSQL that is killed goes on, and gives the same bytes",
  (address) =>
    inFolder(async (folder) => {
      await inPostgres(
        address,
        `CREATE TYPE mood AS ENUM ('sad', 'glad', 'angry');
       CREATE TABLE t (a mood, b text, c numeric, at timestamptz, v text, PRIMARY KEY (a, b, c, at));
       INSERT INTO t SELECT (ARRAY['sad', 'glad', 'angry']::mood[])[abs(i) % 3 + 1],
         (ARRAY['', '''', E'\\\\', E'a\\nb', 'é', 'Z', '$1'])[abs(i) % 7 + 1], i / 8.0,
         '2026-01-01Z'::timestamptz + i * interval '1.000001 s', repeat('x', abs(i) % 40)
       FROM generate_series(${-300 * more}, ${300 * more}) AS i;
       CREATE TABLE n (id int8 PRIMARY KEY, v text);
       INSERT INTO n SELECT i * 5, repeat('y', 60) FROM generate_series(${-200 * more}, ${
          200 * more
        }) AS i`,
      );
      await checkKills(folder, "t.csv", ["--source", address, "--table", "t"]);
      await checkKills(folder, "n.csv", ["--source", address, "--table", "n", "--partitions", "2"]);
      await checkKills(folder, "m.csv", ["--source", address, "--table", "n"]);
    }),
);

postgresTest(
  "a table that others inherit from is not gone on with, one of partitions is",
  (address) =>
    inFolder(async (folder) => {
      await inPostgres(
        address,
        `CREATE TABLE parent (id int PRIMARY KEY, v text);
         CREATE TABLE child () INHERITS (parent);
         INSERT INTO parent SELECT i, 'p' FROM generate_series(1, 400) AS i;
         INSERT INTO child SELECT i, 'c' FROM generate_series(1, 400) AS i;
         CREATE TABLE parted (id int PRIMARY KEY, v text) PARTITION BY RANGE (id);
         CREATE TABLE low PARTITION OF parted FOR VALUES FROM (0) TO (200);
         CREATE TABLE high PARTITION OF parted FOR VALUES FROM (200) TO (9999);
         INSERT INTO parted SELECT i, repeat('y', 60) FROM generate_series(1, ${400 * more}) AS i`,
      );
      const args = ["--source", address, "--table", "parent", "--out", join(folder, "a.csv")];
      const { code, stderr } = await runExtract(...args, ...resuming);
      assertEquals(code, 2, stderr);
      assertMatch(stderr, /^Cannot --resume .*: no key orders its rows\. .* none that INHERITS /);
      assertMatch((await runExtract(...args)).stdout, /written 800 /);
      await rm(join(folder, "a.csv"));
      await checkKills(folder, "b.csv", ["--source", address, "--table", "parted"]);
    }),
);

mongodbTest(
  "an export of MongoDB that is killed goes on, and gives the same bytes",
  (address) =>
    inFolder(async (folder) => {
      const client = new MongoClient(address);
      try {
        const ids = Array.from({ length: 400 * more }, (_, index) => {
          switch (index % 5) {
            case 0:
              return index - 200;
            case 1:
              return Long.fromString(`9007199254740${index + 1000}`);
            case 2:
              return `id '${index}' $gt`;
            case 3:
              return ObjectId.createFromTime(index);
            default:
              return new Date(index * 1e9);
          }
        });
        const documents = ids.map((_id, index) => ({ _id, v: "x".repeat(1 + index % 50 * 4) }));
        await client.db().collection<{ _id: unknown }>("c").insertMany(documents);
        await checkKills(folder, "c.ndjson", ["--source", address, "--collection", "c"]);
        const fields = ["--fields", "v", "--filter", '{"v":{"$ne":"x"}}'];
        await checkKills(folder, "c.csv", ["--source", address, "--collection", "c", ...fields]);
      } finally {
        await client.close();
      }
    }),
);

test("an export that is killed around a checkpoint or its end goes on from what is safe", () =>
  withTables(async (folder, source) => {
    const out = join(folder, "out.csv.gz");
    const args = [...source, "--table", "t", ...resuming, "--out", out];
    await runExtract(...source, "--table", "t", "--out", join(folder, "whole.csv"));
    const expected = await readFile(join(folder, "whole.csv"), "utf8");
    for (const at of ["before keep 1", "after keep 1", "before keep 5", "before commit"]) {
      await killedAt(at, args);
      // What a killed run may have written of a member that it did not end.
      const draft = (await hidden(folder)).find((one) => one.endsWith(".tmp"))!;
      await appendFile(join(folder, draft), "a part of a member");
    }
    assertEquals((await runExtract(...args)).code, 0);
    assertEquals(await contentOf(out), expected);
    // The file is there: nothing is left to go on from.
    await rm(out);
    await killedAt("after commit", args);
    assertEquals(await contentOf(out), expected);
    assertEquals(await hidden(folder), []);
  }));

test("an export that fails keeps what is safe, and goes on once the reason is gone", () =>
  withTables(async (folder, source, database) => {
    const out = join(folder, "out.csv");
    const args = [...source, "--table", "t", ...resuming, "--out", out];
    database.exec("UPDATE t SET v = CAST(x'ff' AS TEXT) WHERE id = 900");
    const failed = await runExtract(...args);
    assertEquals(failed.code, 1);
    assertMatch(
      failed.stderr,
      /^Kept [\d,]+ rows, up to row rowid=\d+: the same command goes on, /m,
    );
    assertEquals((await hidden(folder)).length, 2);
    database.exec("UPDATE t SET v = 'mended' WHERE id = 900");
    assertEquals((await runExtract(...args)).code, 0);
    await runExtract(...source, "--table", "t", "--out", join(folder, "whole.csv"));
    assertEquals(await readFile(out, "utf8"), await readFile(join(folder, "whole.csv"), "utf8"));
  }));

test("an export asked for with other options is not gone on with; one without --resume removes it", () =>
  withTables(async (folder, source, database) => {
    const out = join(folder, "out.csv");
    const args = [...source, ...resuming, "--out", out];
    const table = ["--table", "t"];
    await killedAt(20_000, [...args, ...table]);
    const left = await hidden(folder);
    for (
      const [reason, ...more] of [
        ['--format is "tsv", but was "csv"', ...table, "--format", "tsv"],
        ['--table is "pairs", but was "t"', "--table", "pairs"],
        ['--fields is "v:v", but was null', ...table, "--fields", "v"],
        ['--compress is "gzip", but was null', ...table, "--compress", "gzip"],
        ['--null is "NULL", but was ""', ...table, "--null", "NULL"],
        ["--header is false, but was true", ...table, "--no-header"],
        ['--on-bad-row is "skip", but was "fail"', ...table, "--on-bad-row", "skip"],
      ] as const
    ) {
      const { code, stderr } = await runExtract(...args, ...more);
      assertEquals([code, stderr], [
        2,
        `Cannot --resume ${out}: ${reason}; without --resume it begins with the first row\n`,
      ]);
    }
    assertEquals(await hidden(folder), left);
    database.exec("ALTER TABLE t ADD COLUMN more");
    const wider = await runExtract(...args, ...table);
    assertEquals(wider.code, 2);
    assertStringIncludes(wider.stderr, "the columns are id,v,n,more, but were id,v,n;");
    const anew = await runExtract(...source, ...table, "--out", out);
    assertEquals(anew.code, 0);
    assertMatch(anew.stderr, /^Removed \S+, \d+ bytes that a run which was killed had left\n$/);
    assertEquals(await hidden(folder), []);
  }));

test("a checkpoint that is another's, of another format, or says more than there is, is refused", () =>
  withTables(async (folder, source) => {
    const out = join(folder, "out.csv");
    const args = [...source, "--table", "t", ...resuming, "--out", out];
    await killedAt(20_000, args);
    const name = (await hidden(folder)).find((one) => one.endsWith(".checkpoint"))!;
    const text = await readFile(join(folder, name), "utf8");
    await rm(join(folder, name));
    const check = async (as: string, changed: string, reason: RegExp, expected = 2) => {
      await writeFile(join(folder, as), changed);
      const { code, stderr } = await runExtract(...args);
      assertEquals(code, expected, stderr);
      assertMatch(stderr, reason);
      // A run that has claimed it has given it another name.
      const left = (await hidden(folder)).filter((one) => one.endsWith(".checkpoint"));
      for (const one of left) await rm(join(folder, one));
    };
    const changed = (more: object) => JSON.stringify({ ...JSON.parse(text), ...more });
    const own = name.replace(/-\d+-(?=[^-]{8}-)/, `-${process.pid}-`);
    await check(own, text, new RegExp(`process ${process.pid} is writing it`));
    await check(name, changed({ version: 2 }), /is of format 2, this one knows 1;/);
    await check(name, text.slice(1), /is no checkpoint that can be read;/);
    await check(name, changed({ draft: "../a" }), /names no draft;/);
    await check(name, changed({ bytes: 1e9 }), /has \d+ bytes, but 1000000000 were safe;/);
    await check(name, changed({ key: ["v"] }), /the key is rowid, but was v;/);
    await check(name, changed({ draft: "a.sqlite" }), /names no draft;/);
    await check(name, changed({ rows: -1 }), /is no checkpoint that can be read;/);
    await check(name, changed({ last: "0" }), /is no checkpoint that can be read;/);
    const run = changed({ last: ["(SELECT 1 FROM t WHERE zeroblob(1e9))"] });
    await check(name, run, /its key is not one that an export has kept/, 1);
  }));

test(
  "what somebody else may have put beside the output is neither believed nor written to nor removed",
  {
    skip: process.platform === "win32",
  },
  () =>
    withTables(async (folder, source) => {
      const [out, thesis] = [join(folder, "out.csv"), join(folder, "thesis.db")];
      const plain = [...source, "--table", "t", "--out", out];
      const args = [...plain, ...resuming];
      await killedAt(20_000, args);
      const [checkpoint, draft] = await Promise.all(
        [".checkpoint", ".tmp"].map(async (end) =>
          join(folder, (await hidden(folder)).find((name) => name.endsWith(end))!)
        ),
      );
      const [text, rows] = [await readFile(checkpoint!, "utf8"), await readFile(draft!)];
      assertEquals((await stat(draft!)).mode & 0o777, 0o600);
      const away = () =>
        Promise.all([checkpoint!, draft!].map((path) => rm(path, { force: true })));
      const plant = async (
        change: () => Promise<void>,
        reason: RegExp,
        left: readonly string[],
      ) => {
        await away();
        await writeFile(thesis, rows);
        await writeFile(checkpoint!, text);
        await writeFile(draft!, rows);
        await change();
        const resumed = await runExtract(...args);
        assertEquals(resumed.code, 2, resumed.stderr);
        assertMatch(resumed.stderr, reason);
        const anew = await runExtract(...plain);
        assertEquals(anew.code, 0, anew.stderr);
        assertEquals(await readFile(thesis), rows);
        const kept = left.map((path) => basename(path)).sort();
        assertEquals(await hidden(folder), kept);
      };
      const all = [checkpoint!, draft!];
      const changed = (more: object) => JSON.stringify({ ...JSON.parse(text), ...more });
      const named = changed({ draft: "thesis.db" });
      await plant(() => writeFile(checkpoint!, named), /names no draft/, [draft!]);
      const asLink = (path: string, make: typeof link) => async () => {
        await rm(path);
        await make(thesis, path);
      };
      const notOwn = /is a link, or another user's, or others can write it/;
      await plant(asLink(draft!, symlink), notOwn, [draft!]);
      await plant(asLink(draft!, link), notOwn, [draft!]);
      await plant(asLink(checkpoint!, symlink), notOwn, all);
      await plant(() => chmod(checkpoint!, 0o666), notOwn, [draft!]);
      if (process.getuid!() === 0) {
        await plant(() => chown(checkpoint!, 65534, 65534), notOwn, all);
        await plant(() => chown(draft!, 65534, 65534), notOwn, [draft!]);
      }
      await away();
      // Of this user, but readable by others: it no longer is while the rows come.
      await writeFile(checkpoint!, text);
      await writeFile(draft!, rows);
      await chmod(draft!, 0o666);
      await killedAt(10_000, args);
      assertEquals((await stat(draft!)).mode & 0o777, 0o600);
      assertEquals((await runExtract(...args)).code, 0);
      assertEquals((await stat(out)).mode & 0o777, 0o666 & ~process.umask());
    }),
);

test("what cannot be gone on from is refused at once, with its reason", () =>
  withTables(async (folder, source) => {
    const out = join(folder, "out.csv");
    const noKey =
      /^Cannot --resume sqlite:\S+: no key orders its rows\. A table needs a primary key /;
    for (
      const [reason, ...args] of [
        [
          /^--resume must be --resume=new-snapshot: the snapshot .+ is gone/,
          "--table",
          "t",
          "--resume",
        ],
        [/^--resume must be --resume=new-snapshot: /, "--table", "t", "--resume=again"],
        [/^--checkpoint needs --resume=new-snapshot\n/, "--table", "t", "--checkpoint", "1MiB"],
        [/^--resume reads in one thread: /, "--table", "t", ...resuming, "--threads", "2"],
        [noKey, "--table", "plain", ...resuming],
        [noKey, "--table", "named", ...resuming],
        [noKey, "--table", "t", "--order-by", "v", ...resuming],
        [noKey, "--query", "SELECT 1 AS a", ...resuming],
      ] as const
    ) {
      const { code, stderr } = await runExtract(...source, "--out", out, ...args);
      assertEquals(code, 2, stderr);
      assertMatch(stderr, reason);
    }
    const piped = await runExtract(...source, "--table", "t", ...resuming, "--out", "-");
    assertEquals([piped.code, piped.stdout], [2, ""]);
    assertMatch(piped.stderr, /^--resume needs a file: /);
    assertEquals(await readdir(folder), ["a.sqlite"]);
  }));
