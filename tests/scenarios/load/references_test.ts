import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import postgres from "postgres";
import { Random } from "../../../scenarios/extract/seed/seed_contacts.ts";
import { load, ndjsonRecords } from "../../../scenarios/load/command.ts";
import { openTarget } from "../../../scenarios/load/open_target.ts";
import { draws, firstSeedOf } from "../../lib/thorough.ts";
import { inFolder, patientMs, postgresTest } from "../extract/_helpers.ts";

interface Row {
  readonly id: number;
  readonly k: string;
  a?: number | null;
  b?: string | null;
  c?: number | null;
  d?: string | null;
}

const createTable =
  `CREATE TABLE family (id int PRIMARY KEY, k text UNIQUE, a int REFERENCES family (id),
  b text REFERENCES family (k), c int, d text, UNIQUE (id, k), FOREIGN KEY (c, d) REFERENCES family (id, k))`;

/** Rows that refer to each other by three foreign keys, in circles too, some to none, some there twice. */
function drawRows(random: Random): Row[] {
  const count = 1 + random.below(30);
  const span = count + random.below(6);
  const rows: Row[] = [];
  const fill = (row: Row) => {
    for (const name of ["a", "b", "c", "d"] as const) row[name] ??= null as never;
  };
  for (let id = 0; id < count; id++) {
    const row: Row = { id, k: `k${id}` };
    if (random.below(3) > 0) row.a = random.below(span);
    if (random.below(3) === 0) row.b = `k${random.below(span)}`;
    if (random.below(4) === 0) {
      row.c = random.below(span);
      row.d = `k${row.c + (random.below(8) === 0 ? 1 : 0)}`;
    }
    // Rows with other columns are other statements.
    if (random.below(3) === 0) fill(row);
    rows.splice(random.below(rows.length + 1), 0, row);
  }
  for (let more = random.below(8) - 4; more > 0; more--) {
    const row = { ...random.pick(rows) };
    if (random.below(2) === 0) fill(row);
    rows.splice(random.below(rows.length + 1), 0, row);
  }
  return rows;
}

/** The ids of the most rows that can be there together. */
function mostTogether(rows: readonly Row[]): number[] {
  const found = new Map(rows.map((row) => [row.id, row]));
  const has = (k: string) => found.has(Number(k.slice(1)));
  const isFine = ({ a, b, c, d }: Row) =>
    (a == null || found.has(a)) && (b == null || has(b)) &&
    (c == null || d == null || found.has(c) && d === `k${c}`);
  for (let count = -1; count !== found.size;) {
    count = found.size;
    for (const row of rows) if (!isFine(row)) found.delete(row.id);
  }
  return [...found.keys()].sort((one, other) => one - other);
}

async function check(
  seed: number,
  address: string,
  empty: () => Promise<void>,
  idsOf: () => Promise<number[]>,
): Promise<void> {
  const random = new Random(seed, 0);
  const rows = drawRows(random);
  await empty();
  const target = await openTarget(address, {
    ...{ table: "family", timeoutMs: patientMs, isJson: true },
  });
  async function* chunks() {
    yield new TextEncoder().encode(rows.map((row) => JSON.stringify(row)).join("\n"));
  }
  const dead: number[] = [];
  try {
    const result = await load({
      ...{ records: ndjsonRecords(chunks(), "utf-8"), target, batchSize: 1 + random.below(7) },
      onDeadLetter: ({ line }) => void dead.push(line),
    });
    const expected = mostTogether(rows);
    assertEquals(await idsOf(), expected, `seed ${seed}`);
    assertEquals(new Set(dead).size, rows.length - expected.length);
    const { length } = expected;
    assertEquals(result, {
      rows: rows.length,
      loaded: length,
      dead: rows.length - length,
      diverted: 0,
    });
  } finally {
    await target.close();
  }
}

const count = draws(40);

test("SQLite: of rows that refer to each other, as many are loaded as can be there together", () =>
  inFolder(async (folder) => {
    const path = join(folder, "a.sqlite");
    const within = <Result>(use: (database: DatabaseSync) => Result): Result => {
      const database = new DatabaseSync(path);
      try {
        return use(database);
      } finally {
        database.close();
      }
    };
    for (let seed = firstSeedOf(count); seed < firstSeedOf(count) + count; seed++) {
      await check(
        seed,
        `sqlite:${path}`,
        async () => {
          await rm(path, { force: true });
          within((database) => database.exec(createTable));
        },
        () =>
          Promise.resolve(
            within((database) =>
              database.prepare("SELECT id FROM family ORDER BY id").all().map(({ id }) =>
                Number(id)
              )
            ),
          ),
      );
    }
  }));

postgresTest(
  "PostgreSQL: of rows that refer to each other, as many are loaded as can be there together",
  async (address) => {
    const sql = postgres(address, { max: 1, onnotice() {} });
    try {
      await sql.unsafe(createTable);
      for (let seed = firstSeedOf(count); seed < firstSeedOf(count) + count; seed++) {
        await check(
          seed,
          address,
          async () => void await sql.unsafe("TRUNCATE family"),
          async () => (await sql`SELECT id FROM family ORDER BY id`).map(({ id }) => id),
        );
      }
    } finally {
      await sql.end({ timeout: 0 });
    }
  },
);
