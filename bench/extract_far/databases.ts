import { fileURLToPath } from "node:url";
import process from "node:process";
import postgres from "postgres";
import { CaseRefusal } from "../measure/case_refusal.ts";
import { ensureSeed } from "../../scenarios/extract/seed/ensure_seed.ts";
import { seedContacts } from "../../scenarios/extract/seed/seed_contacts.ts";
import { seedSource } from "../../scenarios/extract/seed/seed_source.ts";

/** The databases that the ladder is climbed on. */
export const databaseNames = ["sqlite", "postgres", "ferretdb"] as const;

/** One of them. */
export type DatabaseName = (typeof databaseNames)[number];

/** How long the messages of all databases go on. */
export const farDays = 30;

/**
 * How many contacts each has: few enough for a cursor of 16 rows to come to its end 10 ms away, and fewer in FerretDB,
 * which reads all it has for each query.
 */
const contacts: Readonly<Record<DatabaseName, number>> = {
  sqlite: 4_000,
  postgres: 4_000,
  ferretdb: 1_000,
};

const seedOf = (name: DatabaseName) => ({ contacts: contacts[name], days: farDays, seed: 1 });

const dataFolder = fileURLToPath(new URL("../data", import.meta.url));
const database = "hosepipe_bench";

const variables = { postgres: "POSTGRES_URI", ferretdb: "MONGODB_URI" } as const;
const servers = { postgres: "scripts/postgres", ferretdb: "scripts/ferretdb" } as const;

/**
 * The address of the data in a database.
 *
 * @throws {CaseRefusal} If nobody has said where its server is.
 */
export async function databaseAddress(name: DatabaseName): Promise<string> {
  if (name === "sqlite") return `sqlite:${await ensureSeed(dataFolder, seedOf(name))}`;
  const server = process.env[variables[name]];
  if (!server) throw new CaseRefusal(`set ${variables[name]}; ${servers[name]} gives one`);
  return server.replace(/^(\w+:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${database}`);
}

/** Puts the data into all databases whose servers are named. */
export async function seedDatabases(): Promise<void> {
  await databaseAddress("sqlite");
  for (const name of ["postgres", "ferretdb"] as const) {
    const server = process.env[variables[name]];
    if (!server) continue;
    if (name === "postgres") {
      const sql = postgres(server, { max: 1, onnotice() {} });
      const known = await sql`SELECT 1 FROM pg_database WHERE datname = ${database}`;
      if (known.length === 0) await sql`CREATE DATABASE ${sql(database)}`;
      await sql.end();
    }
    await seedSource(await databaseAddress(name), seedContacts(seedOf(name)));
  }
}
