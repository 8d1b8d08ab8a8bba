import { fileURLToPath } from "node:url";
import process from "node:process";
import postgres from "postgres";
import { CaseRefusal } from "../measure/case_refusal.ts";
import { ensureSeed } from "../../scenarios/extract/seed/ensure_seed.ts";
import { type SeedContact, seedContacts } from "../../scenarios/extract/seed/seed_contacts.ts";
import { seedSource } from "../../scenarios/extract/seed/seed_source.ts";
import { type ServerName, startServer } from "./start_server.ts";

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
  sqlite: 2_000,
  postgres: 2_000,
  ferretdb: 300,
};

const seedOf = (name: DatabaseName) => ({ contacts: contacts[name], days: farDays, seed: 1 });

const dataFolder = fileURLToPath(new URL("../data", import.meta.url));
const database = "hosepipe_bench";

const variables = { postgres: "POSTGRES_URI", ferretdb: "MONGODB_URI" } as const;
const remedies = {
  postgres: "POSTGRES_URI, or install PostgreSQL for scripts/postgres to start",
  ferretdb: "MONGODB_URI, or HOSEPIPE_FERRETDB to what scripts/ferretdb builds",
} as const;

/** What is put into a server: FerretDB is spared the conversations of a thousand messages. */
function* dataOf(name: DatabaseName): Generator<SeedContact> {
  for (const contact of seedContacts(seedOf(name))) {
    const isShort = contact.conversations.every(({ messages }) => messages.length < 1_000);
    if (name !== "ferretdb" || isShort) yield contact;
  }
}

/**
 * The address of the data in a database.
 *
 * @throws {CaseRefusal} If there is no server, and no address of one is given.
 */
export async function databaseAddress(name: DatabaseName): Promise<string> {
  if (name === "sqlite") return `sqlite:${await ensureSeed(dataFolder, seedOf(name))}`;
  const server = process.env[variables[name]];
  if (!server) throw new CaseRefusal(`set ${remedies[name]}`);
  return server.replace(/^(\w+:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${database}`);
}

async function seedServer(name: ServerName, server: string): Promise<void> {
  if (name === "postgres") {
    const sql = postgres(server, { max: 1, onnotice() {} });
    const known = await sql`SELECT 1 FROM pg_database WHERE datname = ${database}`;
    if (known.length === 0) await sql`CREATE DATABASE ${sql(database)}`;
    await sql.end();
  }
  await seedSource(await databaseAddress(name), dataOf(name));
}

/** Puts the data into all databases whose servers are named or can be started, which are then named to the cases. */
export async function seedDatabases(): Promise<void> {
  await databaseAddress("sqlite");
  for (const name of ["postgres", "ferretdb"] as const) {
    const server = process.env[variables[name]] || await startServer(name);
    if (server === undefined) continue;
    process.env[variables[name]] = server;
    await seedServer(name, server);
  }
}
