import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { Random } from "../../scenarios/extract/seed/seed_contacts.ts";
import { startScript } from "../lib/start_script.ts";
import { draws, firstSeedOf } from "../lib/thorough.ts";
import { inFolder, inPostgres, inSqlite, postgresTest } from "../scenarios/extract/_helpers.ts";
import { runExtract } from "./fixtures/run_extract.ts";

/** Extracts a table, loads it into another like it, extracts that, and compares the bytes; in each format. */
async function checkRoundTrip(
  folder: string,
  { source, target, from, to, empty }: {
    readonly source: string;
    readonly target: string;
    readonly from: string;
    readonly to: string;
    empty(): Promise<void>;
  },
): Promise<void> {
  for (const name of ["a.csv", "a.ndjson"]) {
    await empty();
    const [out, again] = [join(folder, name), join(folder, `again-${name}`)];
    const extract = async (address: string, table: string, path: string) => {
      const args = ["--source", address, "--table", table, "--out", path, "--null", "\\N"];
      const { code, stderr } = await runExtract(...args.slice(0, name === "a.csv" ? 8 : 6));
      assertEquals([code, stderr], [0, ""]);
    };
    await extract(source, from, out);
    const { code, stderr } = await startScript("scenarios/load/command.ts", [
      ...["--in", out, "--target", target, "--table", to, "--batch-size", "7"],
      ...(name === "a.csv" ? ["--null", "\\N"] : []),
    ]).ended;
    assertEquals([code, stderr], [0, ""], name);
    await extract(target, to, again);
    const [before, after] = [await readFile(out, "utf8"), await readFile(again, "utf8")];
    const at = [...before].findIndex((one, place) => one !== after[place]);
    assertEquals(
      before === after ? "" : after.slice(at - 40, at + 40),
      before === after ? "" : before.slice(at - 40, at + 40),
      name,
    );
  }
}

const texts = [
  ...["", "a", "NULL", "\\N", "\\.", "007", " 1 ", "1e400", "true", "-0", "Infinity", "{1}", "[1]"],
  ...[
    "\"q\", 'x'",
    "two\nlines",
    "cr\rlf\r\n",
    "\ufeffbom",
    "ü😀",
    "\u2028",
    "aGk=",
    "=1+1",
    "\t\\t",
  ],
];
const wholes = ["0", "-1", "7", "9007199254740993", "-9223372036854775808", "9223372036854775807"];
const reals = ["0.1", "-1e300", "5e-324", "1.7976931348623157e308", "123456789.12345678", "2.0"];

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

const blobs = ["x''", "x'00'", "x'00ff10'", "x'616263'"];
const sqliteReals = [...reals, "9e999", "-9e999", "1e15", "3.5e20"];
/** The values that a column of a type has, as SQL. */
const sqliteTypes: Record<string, readonly string[]> = {
  ...{ "INTEGER": wholes, "INT": wholes, "BIGINT UNSIGNED": wholes, "TINYINT(1)": ["0", "1"] },
  ...{ "TEXT": texts.map(quote), "VARCHAR(3)": texts.map(quote), "CLOB": texts.map(quote) },
  ...{ "REAL": sqliteReals, "DOUBLE PRECISION": sqliteReals, "FLOAT": sqliteReals },
  ...{ "BLOB": blobs, "BINARY": blobs, "VARBINARY(9)": blobs, "bytea": blobs, "image": blobs },
  "NUMERIC": [...wholes, ...reals, "12345678901234567890.10", "'text'"],
  "DECIMAL(10,2)": ["1.50", "100", "-0.005", "12345678.9"],
  ...{ "BOOLEAN": ["0", "1", "TRUE"], "DATE": ["'2026-01-02'", "20260102"] },
  ...{ "DATETIME": ["'2026-01-02 03:04:05'", "1767322800.5"], "JSON": [`'{"a": 1,"a" :2}'`, "5"] },
  "": [...texts.map(quote), ...wholes, ...reals, ...blobs, "-0.0"],
};

for (let draw = 0; draw < draws(2); draw++) {
  const seed = firstSeedOf(draws(2)) + draw;
  test(`SQLite: extract, load and extract give the same bytes for every type; drawn table ${seed}`, () =>
    inFolder(async (folder) => {
      const random = new Random(seed, 0);
      const [from, to] = [join(folder, "from.sqlite"), join(folder, "to.sqlite")];
      const types = Object.keys(sqliteTypes);
      const columns = types.map((type, at) => `c${at} ${type}`);
      const create = (path: string, rows: string) => {
        inSqlite(path, `CREATE TABLE t (id INTEGER PRIMARY KEY, ${columns}); ${rows}`);
      };
      const rows = Array.from({ length: 60 }, (_, id) => {
        const values = types.map((type) =>
          random.below(10) === 0 ? "NULL" : random.pick(sqliteTypes[type]!)
        );
        return `(${id}, ${values})`;
      });
      create(from, `INSERT INTO t VALUES ${rows}`);
      await checkRoundTrip(folder, {
        ...{ source: `sqlite:${from}`, target: `sqlite:${to}`, from: "t", to: "t" },
        async empty() {
          await rm(to, { force: true });
          create(to, "");
        },
      });
    }));
}

const network = ["10.0.0.0/8", "::1/128", "192.168.100.128/25"];
const ranges = (
  low: string,
  high: string,
) => ["empty", `[${low},${high})`, `(${low},)`, `(,${high}]`];
const times = [
  "infinity",
  "-infinity",
  "2026-01-02 03:04:05.000006",
  "0044-03-15 12:00:00 BC",
  "1900-01-01",
];
/** The values that a column of a type has, as the text that it reads. */
const postgresValues: Record<string, readonly string[]> = {
  ...{ bool: ["t", "f"], bytea: ["\\x", "\\x00ff", "\\x616263"], '"char"': ["a", "\\200", ""] },
  ...{ name: ["a", "", '"q"'], int8: wholes, int4: ["0", "-2147483648"], int2: ["-1", "32767"] },
  ...{ text: texts, varchar: texts, "varchar(40)": texts, bpchar: texts, "char(30)": texts },
  ...{
    oid: ["0", "4294967295"],
    xid: ["3"],
    xid8: ["18446744073709551615"],
    cid: ["7"],
    tid: ["(1,2)"],
  },
  json: ['{"a": 1, "a":2}', '"\\u0041"', "[1 , 2.50]", "1e400", "-0", '{"b":{"c":"\\n"}}', "true"],
  jsonb: ['{"a": [1, "x\\\\y"]}', '"text"', "[null]", "1.10", "12345678901234567890.10", "{}"],
  jsonpath: ['$."a"[*]', "strict $"],
  xml: ["<a>b</a>", "x &amp; y"],
  ...{ float8: [...reals, "NaN", "Infinity", "-0"], float4: ["0.1", "-Infinity", "1e-45", "-0"] },
  numeric: ["1.10", "NaN", "123456789012345678901234567890.5", "-0.00", "1e-20", ...wholes],
  ...{ "numeric(12,3)": ["1.100", "-5"], money: ["1.50", "-92233720368547758.08"] },
  ...{ timestamp: times, timestamptz: [...times, "2026-01-02 03:04:05.1+02"] },
  ...{
    date: ["infinity", "0044-03-15 BC", "2026-01-02", "9999-12-31"],
    uuid: ["00000000-0000-0000-0000-000000000001"],
  },
  ...{
    time: ["00:00:00", "24:00:00", "01:02:03.000004"],
    timetz: ["01:02:03+02", "23:59:59.5-11:30"],
  },
  interval: ["1 day 02:03:04", "-1 mon", "-1 day 2:03", "178000000 years", "0", "00:00:00.000001"],
  ...{ "bit(3)": ["101"], varbit: ["", "10110"], bit: ["1"] },
  ...{
    inet: [...network, "10.1.2.3"],
    cidr: network,
    macaddr: ["08:00:2b:01:02:03"],
    macaddr8: ["08:00:2b:01:02:03:04:05"],
  },
  ...{ point: ["(0.1,-2)"], line: ["{1,2,3}"], lseg: ["[(1,2),(3,4)]"], box: ["(3,4),(1,2)"] },
  ...{
    path: ["[(1,2),(3,4)]", "((1,2),(3,4))"],
    polygon: ["((1,2),(3,4),(5,6))"],
    circle: ["<(1,2),3>"],
  },
  ...{
    tsvector: ["'a':1A 'b c':2"],
    tsquery: ["'a' & !'b'"],
    pg_lsn: ["16/B374D848"],
    pg_snapshot: ["10:20:10,14"],
  },
  ...{
    int4range: ranges("1", "5"),
    int8range: ranges("-5", "9007199254740993"),
    numrange: ranges("1.10", "2"),
  },
  ...{
    daterange: ranges("2026-01-02", "2026-02-01"),
    tsrange: ranges('"2026-01-02 03:04:05"', "infinity"),
  },
  ...{
    tstzrange: ranges("2026-01-01 00:00:00+00", "2026-01-02 00:00:00+02"),
    int4multirange: ["{}", "{[1,3),[5,7)}"],
    int8multirange: ["{(,1)}"],
    nummultirange: ["{[1.10,2),(3,)}"],
    datemultirange: ["{[2026-01-02,2026-02-01)}"],
    tsmultirange: ['{["2026-01-02 03:04:05",infinity)}'],
    tstzmultirange: ['{["2026-01-01 00:00:00+00",)}'],
  },
  ...{ regclass: ["pg_class"], regtype: ["integer"], refcursor: ["a b"], oidvector: ["1 2 3"] },
  mood: ["sad", "so so"],
  pair: ['(1,"a,b")', "(,)", '(2,"\\"q\\"")'],
  bytes_domain: ["\\x00ff"],
  json_domain: ['{"z": 1, "a" :2}'],
  array_domain: ["{1,NULL}", "[0:1]={3,4}"],
  text_domain: texts.filter((text) => text !== ""),
};

const made = `CREATE TYPE mood AS ENUM ('sad', 'so so'); CREATE TYPE pair AS (a int, b text);
  CREATE DOMAIN raw_bytes AS bytea; CREATE DOMAIN bytes_domain AS raw_bytes CHECK (octet_length(VALUE) < 99);
  CREATE DOMAIN json_domain AS json; CREATE DOMAIN array_domain AS int[];
  CREATE DOMAIN text_domain AS text CHECK (VALUE <> '')`;

/** An array of drawn values, with one or two dimensions, or bounds of its own. */
function drawnArray(random: Random, type: string, values: readonly string[]): string {
  const item = () =>
    random.below(6) === 0
      ? "NULL"
      : `E${quote(random.pick(values).replaceAll("\\", "\\\\"))}::${type}`;
  const list = () => `ARRAY[${item()}, ${item()}]`;
  switch (random.below(4)) {
    case 0:
      return `'{}'`;
    case 1:
      return `ARRAY[${list()}, ${list()}]::${type}[]`;
    case 2:
      return `(('[0:1]=' || (${list()}::${type}[])::text)::${type}[])`;
  }
  return `${list()}::${type}[]`;
}

for (let draw = 0; draw < draws(2); draw++) {
  const seed = firstSeedOf(draws(2)) + draw;
  postgresTest(
    `PostgreSQL: extract, load and extract give the same bytes for every type; drawn table ${seed}`,
    (address) =>
      inFolder(async (folder) => {
        const random = new Random(seed, 0);
        const types = Object.keys(postgresValues);
        const columns = types.flatMap((type, at) => [`c${at} ${type}`, `a${at} ${type}[]`]);
        const rows = Array.from({ length: 20 }, (_, id) => {
          const values = types.flatMap((type) => {
            const known = postgresValues[type]!;
            const value = `E${quote(random.pick(known).replaceAll("\\", "\\\\"))}`;
            return random.below(10) === 0
              ? ["NULL", "NULL"]
              : [value, drawnArray(random, type, known)];
          });
          return `(${id}, ${values})`;
        });
        const table = `(id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${columns})`;
        await inPostgres(
          address,
          `${made}; CREATE TABLE source ${table}; CREATE TABLE target ${table};
           INSERT INTO source OVERRIDING SYSTEM VALUE VALUES ${rows}`,
        );
        await checkRoundTrip(folder, {
          ...{ source: address, target: address, from: "source", to: "target" },
          empty: () => inPostgres(address, "TRUNCATE target"),
        });
      }),
  );
}

/** What a column can have, but no one writes: what the server keeps for itself. */
const internal = /^(?:aclitem|gtsvector|pg_(?!lsn|snapshot).*|txid_snapshot|int2vector|reg.*)$/;

postgresTest("the drawn tables have every type of PostgreSQL", async (_address, sql) => {
  const known = await sql`
      SELECT typname, format_type(oid, NULL) AS type FROM pg_type WHERE typtype IN ('b', 'r', 'm')
      AND typcategory <> 'A' AND typnamespace = 'pg_catalog'::regnamespace`;
  const drawn = await sql`
      SELECT format_type(name::regtype, NULL) AS type FROM unnest(${
    Object.keys(postgresValues).filter((name) => !/mood|pair|domain/.test(name))
  }::text[]) AS name`;
  const types = new Set(drawn.map(({ type }) => type));
  const missing = known.filter(({ typname, type }) => !types.has(type) && !internal.test(typname));
  assertEquals(missing.map(({ typname }) => typname), []);
});
