import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { csvRecords, load } from "../../scenarios/load/command.ts";
import type { LoadTarget } from "../../scenarios/load/target.ts";
import { endOf, type ScriptEnd, startScript } from "../lib/start_script.ts";
import {
  inFolder,
  inPostgres,
  inSqlite,
  postgresTest,
  withFile,
} from "../scenarios/extract/_helpers.ts";
import { withProxy } from "../scenarios/extract/sources/_proxy.ts";
import { extractLine, runExtract, startExtract } from "./fixtures/run_extract.ts";
import { until } from "../lib/until.ts";

const runLoad = (...args: string[]): Promise<ScriptEnd> =>
  startScript("scenarios/load/command.ts", args).ended;

/** Makes what loads a text, in a file of its name, into a table. */
const loaderOf = (folder: string, target: string, table = "t") =>
async (
  name: string,
  content: string | Uint8Array,
  ...flags: string[]
): Promise<ScriptEnd & { readonly path: string }> => {
  const path = join(folder, name);
  await writeFile(path, content);
  const end = await runLoad("--in", path, "--target", target, "--table", table, ...flags);
  return { ...end, path };
};

/** The dead letters of a file. */
const lettersIn = async (path: string) =>
  (await readFile(path, "utf8")).trim().split("\n").map((line) => JSON.parse(line));

const schema = `
  CREATE TABLE t (id INTEGER PRIMARY KEY, note TEXT, bytes BLOB, total REAL, whole INTEGER)`;

/** Makes a file with the table, and rows of which each is odd in its way. */
function createFile(path: string, rows: string): void {
  inSqlite(path, `${schema}; ${rows}`);
}

/** What is in the table, with the type of each value. */
function dump(path: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const quoted = ["id", "note", "bytes", "total", "whole"].map((name) =>
    `typeof(${name}) || ' ' || quote(${name}) AS ${name}`
  );
  const rows = database.prepare(`SELECT ${quoted} FROM t ORDER BY t.id`).all();
  database.close();
  return rows.map((row) => ({ ...row }));
}

const oddRows = `INSERT INTO t VALUES
  (1, 'plain', x'00ff', 1.5, 1), (2, NULL, NULL, NULL, NULL), (3, '', x'', -1e300, 0),
  (4, '"q",' || char(10) || 'x' || char(13, 10), x'61', 9e999, -1),
  (5, '\\.', x'62', -9e999, 9223372036854775807), (6, char(65279) || 'a', x'63', 2.0, -9007199254740993),
  (9007199254740993, 'null', x'64', 0.1, 5), (7, '007', x'65', 1e21, 6), (8, 'ü😀', x'66', 5e-324, 7)`;

test("what extract writes, load reads as it was: SQLite, CSV and NDJSON, compressed or not", () =>
  inFolder(async (folder) => {
    const source = join(folder, "source.sqlite");
    createFile(source, oddRows);
    for (const name of ["a.csv", "a.csv.gz", "a.ndjson", "a.ndjson.zst"]) {
      const [out, again] = [join(folder, name), join(folder, `again-${name}`)];
      const target = join(folder, `${name}.sqlite`);
      createFile(target, "");
      const to = (path: string, file: string) =>
        runExtract("--source", `sqlite:${path}`, "--table", "t", "--out", file, "--quiet");
      assertEquals((await to(source, out)).code, 0);
      const { code, stdout, stderr } = await runLoad(
        ...["--in", out, "--target", `sqlite:${target}`, "--table", "t", "--batch-size", "2"],
      );
      assertEquals([code, stdout, stderr], [0, "rows 9 = loaded 9 + dead 0: t\n", ""], name);
      assertEquals(dump(target), dump(source), name);
      assertEquals((await to(target, again)).code, 0);
      assertEquals(await readFile(again), await readFile(out), name);
    }
  }));

test("what extract writes to a pipe, load reads from it", () =>
  inFolder(async (folder) => {
    const [source, target] = [join(folder, "source.sqlite"), join(folder, "target.sqlite")];
    createFile(source, oddRows);
    createFile(target, "");
    const reader = extractLine(
      ["--in", "-", "--null", "\\N", "--target", `sqlite:${target}`, "--table", "t"],
      "scenarios/load/command.ts",
    );
    const child = startExtract(
      ["--source", `sqlite:${source}`, "--table", "t", "--null", "\\N", "--out", "-", "--quiet"],
    );
    const loading = spawn(reader[0], reader.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
    child.stdout!.pipe(loading.stdin);
    const { code, stderr } = await endOf(loading);
    assertEquals([code, stderr], [0, ""]);
    assertEquals(dump(target), dump(source));
  }));

test("with --expect-end nothing is loaded of a pipe whose left side died, or of a mark that counts others", () =>
  inFolder(async (folder) => {
    const [source, target] = [join(folder, "source.sqlite"), join(folder, "target.sqlite")];
    createFile(source, oddRows);
    for (const format of ["csv", "ndjson"]) {
      await rm(target, { force: true });
      createFile(target, "");
      const path = join(folder, `a.${format}`);
      const made = await runExtract(
        ...["--source", `sqlite:${source}`, "--table", "t", "--end-mark", "--out", path],
      );
      assertEquals(made.code, 0, made.stderr);
      const text = await readFile(path, "utf8");
      assert(text.endsWith("\n#end of 9 rows\n"));
      const loadText = loaderOf(folder, `sqlite:${target}`);
      const load = (cut: string, ...flags: string[]) => loadText(`a.${format}`, cut, ...flags);
      const at = text.indexOf("#end");
      const cuts: [cut: string, reason: RegExp][] = [
        [text.slice(0, at), /^The input has no mark of its end/],
        [text.slice(0, -1), /^The input has no mark of its end/],
        ["", /^The input has no mark of its end/],
        [text.replace("of 9", "of 8"), /^9 rows were read, but the mark of the end says 8;/],
      ];
      for (const [cut, reason] of cuts) {
        const { code, stderr } = await load(cut, "--expect-end");
        assertEquals([code, dump(target)], [1, []]);
        assertMatch(stderr, reason);
      }
      const asRow = await load(text, "--dead", join(folder, "dead"));
      assertEquals([asRow.code, dump(target)], [1, []]);
      assertMatch(asRow.stderr, /^The input ends with a mark of its end: give --expect-end;/);
      const { code, stderr } = await load(text, "--expect-end");
      assertEquals([code, stderr], [0, ""]);
      assertEquals(dump(target), dump(source));
    }
  }));

postgresTest(
  "what extract writes of PostgreSQL's types, load reads as it was",
  (address, sql) =>
    inFolder(async (folder) => {
      const [from, to] = ["source", "target"] as const;
      const columns = `(id bigint PRIMARY KEY, t text, v varchar(3), n numeric, f float8, b boolean,
      y bytea, j jsonb, a int[], at text[][], d date, s timestamp, z timestamptz, u uuid, i interval,
      c char(3), r int4range)`;
      await sql.unsafe(`CREATE TABLE ${from} ${columns}; CREATE TABLE ${to} ${columns}`);
      await sql.unsafe(
        `INSERT INTO ${from} VALUES
          (1, 'a', 'b', 1.10, 'NaN', true, '\\x00ff', '{"a": [1, "x\\\\y"]}', '{1,NULL,3}',
           '{{"a,b","c\\"d"},{"NULL",NULL}}', '2026-01-02', '2026-01-02 03:04:05.000006',
           '2026-01-02 03:04:05.123456+02', '00000000-0000-0000-0000-000000000001', '1 day 02:03:04',
           'ab', '[1,5)'),
          (9223372036854775807, '', '', 123456789012345678901234567890.5, '-Infinity', false, '',
           '"text"', '{}', '{}', '0001-01-01', '1900-01-01', '2000-01-01Z', NULL, '-1 mon', '', 'empty'),
          (3, NULL, NULL, NULL, 0.1, NULL, NULL, '[null]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
           NULL)`,
      );
      for (const name of ["p.csv", "p.ndjson"]) {
        await sql.unsafe(`TRUNCATE ${to}`);
        const out = join(folder, name);
        const first = await runExtract("--source", address, "--table", from, "--out", out);
        assertEquals([first.code, first.stderr], [0, ""]);
        const { code, stdout, stderr } = await runLoad(
          ...["--in", out, "--target", address, "--table", to],
        );
        assertEquals([code, stderr], [0, ""], name);
        assertEquals(stdout, `rows 3 = loaded 3 + dead 0: ${to}\n`);
        const differ = await sql.unsafe(
          `(SELECT t::text FROM ${from} t) EXCEPT (SELECT t::text FROM ${to} t)`,
        );
        assertEquals([...differ], [], name);
        const again = join(folder, `again-${name}`);
        await runExtract("--source", address, "--table", to, "--out", again);
        assertEquals(await readFile(again), await readFile(out));
      }
    }),
);

postgresTest(
  "PostgreSQL: what an export and a load set and prepare ends with their transaction, as poolers need it",
  (address, sql) =>
    inFolder(async (folder) => {
      const columns = "(id int PRIMARY KEY, i interval)";
      await sql.unsafe(`CREATE TABLE source ${columns}; CREATE TABLE target ${columns}`);
      await sql.unsafe("INSERT INTO source VALUES (1, '-1 day 2:03')");
      await withProxy(address, async (proxy) => {
        const path = join(folder, "a.csv");
        const to = proxy.address;
        const first = await runExtract("--source", to, "--table", "source", "--out", path);
        assertEquals(first.code, 0, first.stderr);
        const load = loaderOf(folder, to, "target");
        const { code, stderr } = await load("b.csv", await readFile(path));
        assertEquals(code, 0, stderr);
        const said = proxy.sent;
        assertEquals(said.match(/\bSET (?!LOCAL|TRANSACTION|CONSTRAINTS)[^;\0]*/g), null);
        assert(said.split("SET LOCAL").length > 10);
        // A message that prepares has its length, and then the statement's name, which is empty.
        assertEquals(said.match(/P\0\0[^]{2}[^\0][^]{20}/g), null);
      });
      assertEquals((await sql.unsafe("SELECT i::text FROM target"))[0]!.i, "-1 days +02:03:00");
    }),
);

const badRows = [
  "id,note,bytes,total,whole",
  "1,fine,,1,1",
  "x,wrong type,,1,1",
  '2,"two\nlines",,1,1',
  "3,short",
  "1,twice,,1,1",
  "4,no base64,!,1,1",
  "5,fine,aGk=,1,1",
].join("\n");

test("rows that cannot be loaded are dead letters with line and reason; the others are loaded", () =>
  inFolder(async (folder) => {
    const [dead, target] = [join(folder, "dead.ndjson"), join(folder, "target.sqlite")];
    createFile(target, "");
    const load = loaderOf(folder, `sqlite:${target}`);
    const failed = await load("bad.csv", badRows);
    assertEquals([failed.code, failed.stdout, dump(target)], [1, "", []]);
    assertMatch(failed.stderr, /^Cannot load line 3: .*; nothing of \S+ was loaded\n$/);
    const { code, stdout, stderr, path } = await load("bad.csv", badRows, "--dead", dead, "--json");
    assertEquals(code, 0, stderr);
    assertEquals(JSON.parse(stdout), { rows: 7, loaded: 3, dead: 4, in: path, table: "t" });
    assertMatch(stderr, /^Warning: 4 rows were not loaded, see \S+; the first: line 3: .*\n$/);
    const letters = await lettersIn(dead);
    assertEquals(letters.map(({ line }) => line), [3, 6, 7, 8]);
    assertEquals(letters[0].row, {
      ...{ id: "x", note: "wrong type", bytes: null, total: "1", whole: "1" },
    });
    assertEquals(letters[1], {
      ...{ line: 6, reason: "fields: 2, columns: 5", row: ["3", "short"] },
    });
    assertEquals(letters[3].reason, "a binary value is no base64");
    assertEquals(dump(target).length, 3);
  }));

postgresTest(
  "PostgreSQL: a batch that fails is halved until the bad rows are alone",
  (address, sql) =>
    inFolder(async (folder) => {
      const table = "target";
      await sql.unsafe(`CREATE TABLE ${table} (id int PRIMARY KEY, v varchar(3), j json)`);
      const dead = join(folder, "dead.ndjson");
      const rows = Array.from({ length: 100 }, (_, id) => JSON.stringify({ id, v: "abc" }));
      rows[7] = '{"id":7,"v":"abcd"}';
      rows[30] = '{"id":6}';
      rows[31] = "[1]";
      rows[32] = '{"id":32,"w":1}';
      rows[90] = '{"id":90,"v":"\\u0000"}';
      const load = loaderOf(folder, address, table);
      const failed = await load("bad.ndjson", rows.join("\n"));
      assertEquals([failed.code, failed.stdout], [1, ""]);
      assertEquals((await sql.unsafe(`SELECT count(*)::int AS n FROM ${table}`))[0]!.n, 0);
      const { code, stdout } = await load("bad.ndjson", rows.join("\n"), "--dead", dead);
      assertEquals([code, stdout], [0, `rows 100 = loaded 95 + dead 5: ${table}\n`]);
      const letters = await lettersIn(dead);
      assertEquals(letters.map(({ line }) => line), [8, 31, 32, 33, 91]);
      assertMatch(letters[0].reason, /too long/);
      assertEquals((await sql.unsafe(`SELECT count(*)::int AS n FROM ${table}`))[0]!.n, 95);
    }),
);

/** Trees and circles, in an order in which none can be loaded row by row; two rows refer to none, others to those. */
const family = (count: number) => {
  const rows: [number, number | ""][] = [[0, ""]];
  for (let id = 1; id < count; id++) rows.unshift([id, id - 1]);
  rows.splice(3, 0, [-1, -2], [-9, -8], [-10, -9], [-20, -21]);
  rows.push([-2, -3], [-3, -1], [-7, -99], [0, ""], [-11, -10], [-4, -4]);
  // A duplicate of what waits.
  rows.splice(10, 0, [-1, -2], [-21, -20]);
  return {
    text: `id,parent\n${rows.map((row) => `${row}\n`).join("")}`,
    rows: rows.length,
    loaded: count + 6,
  };
};

const familyTable = "(id int PRIMARY KEY, parent int REFERENCES family (id))";

async function checkFamily(folder: string, target: string): Promise<void> {
  const dead = join(folder, "dead.ndjson");
  const { text, rows, loaded } = family(1500);
  const load = loaderOf(folder, target, "family");
  const failed = await load("family.csv", text);
  assertEquals([failed.code, failed.stdout], [1, ""]);
  const { code, stdout, stderr } = await load("family.csv", text, "--dead", dead, "--json");
  assertEquals(code, 0, stderr);
  const result = JSON.parse(stdout);
  const letters = await lettersIn(dead);
  const ids = letters.map(({ row }) => Number(row.id)).sort((a, b) => a - b);
  assertEquals(String(ids), "-11,-10,-9,-7,-1,0");
  assertEquals([result.rows, result.loaded, result.dead], [rows, loaded, rows - loaded]);
}

const deferred = familyTable.replace(/\)$/, " DEFERRABLE INITIALLY DEFERRED)");
const parted = `${familyTable} PARTITION BY RANGE (id);
  CREATE TABLE low PARTITION OF family FOR VALUES FROM (MINVALUE) TO (9);
  CREATE TABLE high PARTITION OF family FOR VALUES FROM (9) TO (MAXVALUE)`;
const areLoaded =
  "rows that refer to rows behind them, and to each other, are loaded; no other dies with one that is not";

test(`SQLite: ${areLoaded}`, async () => {
  for (const table of [familyTable, `${familyTable} WITHOUT ROWID`, deferred]) {
    await withFile(
      `CREATE TABLE family ${table}`,
      (target, path) => checkFamily(dirname(path), target),
    );
  }
});

postgresTest(`PostgreSQL: ${areLoaded}`, (address) =>
  inFolder(async (folder) => {
    for (const table of [familyTable, deferred, parted]) {
      await inPostgres(address, `DROP TABLE IF EXISTS family; CREATE TABLE family ${table}`);
      await checkFamily(folder, address);
    }
  }));

test("SQLite: a row that a conflict or a trigger has the table ignore is a dead letter", () =>
  withFile(
    `CREATE TABLE c (id INTEGER PRIMARY KEY ON CONFLICT IGNORE);
       CREATE TABLE g (id INTEGER); CREATE VIEW v AS SELECT id FROM g;
       CREATE TRIGGER t1 BEFORE INSERT ON g WHEN (SELECT count(*) FROM g WHERE id = NEW.id) > 0
         BEGIN SELECT RAISE(IGNORE); END;
       CREATE TRIGGER t2 INSTEAD OF INSERT ON v BEGIN INSERT INTO g VALUES (NEW.id + 10); END`,
    async (target, path) => {
      for (const [table, dead] of [["c", 1], ["g", 1], ["v", 0]] as const) {
        const load = loaderOf(dirname(path), target, table);
        const { stdout, stderr } = await load("a.csv", "id\n1\n1\n2\n", "--dead", `${path}.dead`);
        assertEquals(stdout, `rows 3 = loaded ${3 - dead} + dead ${dead}: ${table}\n`, stderr);
        if (dead > 0) assertMatch(stderr, /: line 3: .* of the table has it ignore the row\n$/);
      }
    },
  ));

postgresTest(
  "rows that a trigger keeps out of their table, or puts elsewhere, are counted",
  (address) =>
    inFolder(async (folder) => {
      await inPostgres(
        address,
        `CREATE TABLE kept (id int); CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN IF NEW.id < 3 THEN RETURN NULL; END IF; RETURN NEW; END $$;
       CREATE TRIGGER g BEFORE INSERT ON kept FOR EACH ROW EXECUTE FUNCTION f()`,
      );
      const { code, stderr } = await loaderOf(folder, address, "kept")("a.csv", "id\n1\n2\n3\n");
      assertEquals(
        [code, stderr],
        [
          0,
          "Warning: 2 rows are not in kept itself: a trigger or a rule keeps them out or puts them elsewhere\n",
        ],
      );
    }),
);

test("a file that ends too early, an unknown column and a table that ends transactions load nothing", () =>
  inFolder(async (folder) => {
    const target = join(folder, "target.sqlite");
    const dead = join(folder, "dead.ndjson");
    createFile(target, "CREATE TABLE r (id INTEGER PRIMARY KEY ON CONFLICT ROLLBACK)");
    const text = `id,note\n${
      Array.from({ length: 5000 }, (_, id) => `${id},${randomUUID()}\n`).join("")
    }`;
    const cases: [name: string, content: string | Uint8Array, table: string][] = [
      ["a.csv.gz", gzipSync(text).subarray(0, -500), "t"],
      ["a.csv.zst", zstdCompressSync(text).subarray(0, -500), "t"],
      ["a.csv", `${text}9999,"open`, "t"],
      ["b.csv", "id\n1\n2\n1\n3\n", "r"],
      ["c.csv", "id,id\n1,2\n", "t"],
      ["d.csv", "", "t"],
      ["e.csv", "id,other\n", "t"],
    ];
    for (const [name, content, table] of cases) {
      const load = loaderOf(folder, `sqlite:${target}`, table);
      const { code, stdout, stderr } = await load(name, content, "--dead", dead);
      assertEquals([code, stdout], [1, ""], `${name}: ${stderr}`);
      assertMatch(stderr, /^[^\n]+; nothing of \S+ was loaded\n$/, name);
      assertEquals(dump(target), [], name);
      assert(!existsSync(dead), name);
      const database = new DatabaseSync(target, { readOnly: true });
      assertEquals({ ...database.prepare("SELECT count(*) AS n FROM r").get() }, { n: 0 }, name);
      database.close();
    }
  }));

/** Starts a load that waits for its input, until it has its transaction. */
async function startWaiting(target: string, dead: string): Promise<[number, Promise<ScriptEnd>]> {
  const [command, ...rest] = extractLine([
    ...["--in", "-", "--target", `sqlite:${target}`, "--table", "t", "--dead", dead],
  ], "scenarios/load/command.ts");
  const waiting = spawn(command, rest, { stdio: ["pipe", "pipe", "pipe"] });
  waiting.stdin.on("error", () => {});
  waiting.stdin.write("id,note\n1,a\n");
  // Without a dot it is the one that is made to see whether it can be.
  const isDraft = (name: string) => name.startsWith(".") && name.endsWith(".tmp");
  await until(async () => (await readdir(dirname(dead))).some(isDraft));
  return [waiting.pid!, endOf(waiting)];
}

test("a load that waits for its input and is interrupted or killed has loaded nothing", {
  skip: process.platform === "win32",
}, () =>
  inFolder(async (folder) => {
    const [target, dead] = [join(folder, "target.sqlite"), join(folder, "dead.ndjson")];
    createFile(target, "");
    const [interrupted, end] = await startWaiting(target, dead);
    // By its number: Deno says of a child that its own `kill` ends only that, not its exit code.
    process.kill(interrupted, "SIGINT");
    assertEquals((await end).code, 130);
    assertEquals([dump(target), await readdir(folder)], [[], ["target.sqlite"]]);
    const [killed, killedEnd] = await startWaiting(target, dead);
    process.kill(killed, "SIGKILL");
    await killedEnd;
    assertEquals(dump(target), []);
    const load = loaderOf(folder, `sqlite:${target}`);
    const { code, stderr } = await load("a.csv", "id,note\n1,a\n", "--dead", dead);
    assertEquals(code, 0);
    assertMatch(
      stderr,
      /^Removed \S+\.tmp, 0 bytes that a run which was killed had left\n$/,
    );
    assertEquals((await readdir(folder)).sort(), ["a.csv", "dead.ndjson", "target.sqlite"]);
  }));

test("--dead is refused where it is the target or the input: by path, link, second name or log", () =>
  inFolder(async (folder) => {
    const [path, target] = [join(folder, "a.csv"), join(folder, "t.sqlite")];
    createFile(target, oddRows);
    await writeFile(path, "id\n100\nx\n");
    await mkdir(join(folder, "b"));
    await symlink(folder, join(folder, "c"));
    const [hard, symbolic] = [join(folder, "hard"), join(folder, "symbolic")];
    await link(target, hard);
    await symlink(path, symbolic);
    const before = [await readFile(path), await readFile(target)];
    const flags = ["--target", `sqlite:${target}`, "--table", "t", "--dead"];
    const isTarget = [
      target,
      hard,
      `${target}-wal`,
      `${target}-journal`,
      join(folder, "c/t.sqlite-shm"),
    ];
    for (
      const [dead, what] of [
        ...isTarget.map((one) => [one, "the target"]),
        ...[path, symbolic, join(folder, "b", "..", "a.csv")].map((one) => [one, "the input"]),
      ]
    ) {
      const { code, stderr } = await runLoad("--in", path, ...flags, dead!);
      assertEquals(code, 2, dead);
      assertMatch(stderr, new RegExp(`^Cannot write --dead \\S+: it is ${what}\n$`));
    }
    const piped = extractLine(["--in", "-", ...flags, path], "scenarios/load/command.ts");
    const { code, stderr } = await endOf(
      spawn("sh", ["-c", `exec "$@" < '${path}'`, "sh", ...piped], {
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
    assertEquals([code, stderr], [2, `Cannot write --dead ${path}: it is the input\n`]);
    assertEquals([await readFile(path), await readFile(target)], before);
  }));

test("text that is not UTF-8 is refused with line, byte and encoding; --encoding reads it", () =>
  inFolder(async (folder) => {
    const target = join(folder, "t.sqlite");
    const texts = {
      csv: "id,note\n1,Ann\n2,Müller\n",
      ndjson: '{"id":1,"note":"Ann"}\n{"id":2,"note":"Müller"}\n',
    };
    const encodingOf = {
      latin1: "latin1",
      "windows-1252": "latin1",
      "utf-16le": "utf16le",
    } as const;
    for (const [format, text] of Object.entries(texts)) {
      for (const [encoding, of] of Object.entries(encodingOf)) {
        await rm(target, { force: true });
        createFile(target, "");
        const load = (...flags: string[]) =>
          loaderOf(folder, `sqlite:${target}`)(`a.${format}`, Buffer.from(text, of), ...flags);
        const refused = await load("--dead", join(folder, "dead"));
        assertEquals([refused.code, refused.stdout, dump(target)], [1, "", []]);
        const at = text.indexOf("ü") + 1;
        const reason = of === "latin1"
          ? `line ${
            format === "csv" ? 3 : 2
          }: byte ${at}, 0xfc, is not UTF-8: it may be windows-1252, ` +
            "then give --encoding windows-1252"
          : "the first bytes are utf-16le, not UTF-8: give --encoding utf-16le";
        assert(refused.stderr.includes(`${reason}; nothing of`), refused.stderr);
        const { code, stderr } = await load("--encoding", encoding);
        assertEquals([code, stderr], [0, ""]);
        assertEquals((dump(target) as { note: string }[]).map(({ note }) => note), [
          "text 'Ann'",
          "text 'Müller'",
        ]);
      }
    }
    const half = await loaderOf(folder, `sqlite:${target}`)(
      "half.ndjson",
      '{"id":3,"note":"\\ud800"}\n{"id":4,"note":"\\ud83d\\ude00"}\n',
      ...["--dead", join(folder, "half.dead")],
    );
    assertMatch(
      half.stderr,
      /^Warning: 1 row was not .* line 1: a text has half a surrogate pair\n$/,
    );
    assertEquals(dump(target).length, 3);
  }));

test("numbers and other JSON keep what they are in a text; what cannot be a number, or nests too deep, is dead", () =>
  inFolder(async (folder) => {
    const [dead, target] = [join(folder, "dead"), join(folder, "t.sqlite")];
    createFile(target, "");
    const values = ["12345678901234567890.10", "true", "1e400", '{"b" : 1,"b":2}', '"1e400"'];
    const rows = [
      ...values.map((value, id) => `{"id":${id}, "note":${value}}`),
      ...['{"id":6,"total":1e400}', '{"id":7,"total":12e2,"whole":true}', '{"id":"8" , "id":9}'],
      ...[`{"id":10,"note":${"[".repeat(5_000_000)}`, "[".repeat(5_000_000), '{"id":1', "{}x"],
      `{"note":${"[".repeat(900)}${"]".repeat(900)}}`,
    ];
    const load = loaderOf(folder, `sqlite:${target}`);
    const bytes = gzipSync(rows.join("\n"));
    const { code, stdout, stderr } = await load("a.ndjson.gz", bytes, "--dead", dead);
    assertEquals([code, stdout], [0, "rows 13 = loaded 8 + dead 5: t\n"], stderr);
    const found = dump(target) as Record<string, string>[];
    assertEquals(found.slice(0, 5).map(({ note }) => note), [
      ...["text '12345678901234567890.10'", "text 'true'", "text '1e400'"],
      ...[`text '{"b" : 1,"b":2}'`, "text '1e400'"],
    ]);
    assertEquals(found.slice(5, 7).map(({ id, total, whole }) => [id, total, whole]), [
      ["integer 7", "real 1200.0", "integer 1"],
      ["integer 9", "null NULL", "null NULL"],
    ]);
    assertEquals((await lettersIn(dead)).map(({ reason }) => reason), [
      "a number is larger than those that can be stored",
      "the line is refused: it nests deeper than 1000",
      ...["the line is no JSON object", "the line is no JSON object", "the line is no JSON object"],
    ]);
  }));

postgresTest("arrays of JSON keep their digits", (address) =>
  inFolder(async (folder) => {
    await inPostgres(address, "CREATE TABLE t (a bigint[], n numeric[], t text[])");
    const rows = [
      '{"a":[9223372036854775807,null],"n":[[0.10],[12345678901234567890.10]],"t":["a,\\"b","\\u00fc"]}',
      '{"a":"[0:1]={1,2}","n":[],"t":null}',
      '{"a":[[[[[[[1]]]]]]]}',
    ];
    const load = loaderOf(folder, address);
    const dead = join(folder, "dead");
    const { code, stderr } = await load("a.ndjson", rows.join("\n"), "--dead", dead);
    assertEquals(code, 0, stderr);
    assertMatch(stderr, /line 3: an array has more than 6 dimensions/);
    const flags = ["--source", address, "--table", "t", "--out", "-", "--quiet"];
    const { stdout } = await runExtract(...flags);
    assertEquals(
      stdout,
      [
        "a,n,t",
        '"{9223372036854775807,NULL}","{{0.10},{12345678901234567890.10}}","{""a,\\""b"",ü}"',
        '"[0:1]={1,2}",{},',
        "",
      ].join("\r\n"),
    );
  }));

postgresTest(
  "a load whose session is lost before its end has loaded nothing, and says so",
  (address, sql) =>
    inFolder(async (folder) => {
      await sql.unsafe("CREATE TABLE t (id int)");
      const [command, ...rest] = extractLine([
        ...["--in", "-", "--target", address, "--table", "t", "--batch-size", "1"],
      ], "scenarios/load/command.ts");
      const loading = spawn(command, rest, { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
      const end = endOf(loading);
      loading.stdin.write("id\n1\n");
      await until(async () => {
        const found = await sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
          AND application_name = 'hosepipe load' AND state = 'idle in transaction'
          AND query LIKE 'RELEASE%'`;
        return found.length > 0;
      });
      loading.stdin.end();
      const { code, stdout, stderr } = await end;
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /; nothing of - was loaded\n$/);
    }),
);

postgresTest(
  "a load whose server does not answer its commit says that it is not known",
  (address) =>
    inFolder(async (folder) => {
      await inPostgres(address, "CREATE TABLE t (id int)");
      await withProxy(address, async (proxy) => {
        proxy.cutAnswerTo("COMMIT");
        const { code, stdout, stderr } = await loaderOf(folder, proxy.address)("a.csv", "id\n1\n");
        assertEquals([code, stdout], [1, ""]);
        assertMatch(stderr, /; it is not known whether \S+ was loaded\n$/);
      });
    }),
);

test("an export or a load that cannot print its totals says what it has done", {
  skip: !existsSync("/dev/full"),
}, () =>
  inFolder(async (folder) => {
    const [path, target] = [join(folder, "a.csv"), join(folder, "t.sqlite")];
    createFile(target, "");
    await writeFile(path, "id\n1\n");
    const out = join(folder, "out.csv");
    const of = `sqlite:${target}`;
    for (
      const [command, done] of [
        [
          extractLine(["--in", path, "--target", of, "--table", "t"], "scenarios/load/command.ts"),
          "was loaded",
        ],
        [extractLine(["--source", of, "--table", "t", "--out", out]), "is written"],
      ] as const
    ) {
      const { code, stderr } = await endOf(
        spawn("sh", ["-c", 'exec "$@" > /dev/full', "sh", ...command], {
          stdio: ["ignore", "pipe", "pipe"],
        }),
      );
      // Not all runtimes hear of what standard output does not take.
      if (code !== 0) assertMatch(stderr, new RegExp(`; \\S+ ${done}\n$`));
    }
    assertEquals([dump(target).length, existsSync(out)], [1, true]);
  }));

test("csv: a header of very many columns takes time in proportion", async () => {
  const names = Array.from({ length: 300_000 }, (_, at) => `column ${at}`);
  async function* chunks() {
    yield new TextEncoder().encode(`${names}\n${names}\n`);
  }
  const found = [];
  const options = { delimiter: ",", nullText: "", encoding: "utf-8" };
  for await (const records of csvRecords(chunks(), options)) found.push(...records);
  assertEquals(found.length, 1);
});

test("a row without a column is a dead letter, and an abort is not a commit", async () => {
  const calls: string[] = [];
  const target: LoadTarget = {
    name: "t",
    columns: new Set(["a"]),
    diverted: 0,
    add: (rows) => (calls.push(`add ${rows.length}`), Promise.resolve([])),
    finish: () => Promise.resolve([]),
    commit: () => (calls.push("commit"), Promise.resolve()),
    close: () => Promise.resolve(),
  };
  async function* records() {
    const names = ["a"];
    yield [{ line: 1, names: [], fields: [] }, { line: 2, names, fields: ["x"] }];
    yield [{ line: 3, names, fields: ["y".repeat(2 ** 20)] }, { line: 4, names, fields: ["z"] }];
  }
  const reasons: string[] = [];
  const result = await load({
    ...{ records: records(), target, batchSize: 500 },
    onDeadLetter: ({ reason }) => void reasons.push(reason),
  });
  assertEquals(result, { rows: 4, loaded: 3, dead: 1, diverted: 0 });
  assertEquals([calls, reasons], [["add 2", "add 1", "commit"], ["the row has no column"]]);
  const controller = new AbortController();
  const options = { records: records(), target, batchSize: 500, onDeadLetter() {} };
  const end = load({
    ...options,
    signal: controller.signal,
    beforeCommit: () => Promise.resolve(controller.abort(new Error("enough"))),
  });
  await assertRejects(() => end, Error, "enough");
  assertEquals(calls.filter((call) => call === "commit").length, 1);
});
