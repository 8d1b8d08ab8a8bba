import { type SeedContact, seedContacts } from "./seed_contacts.ts";
import { checkAddress, readAddress } from "../../secrets/read_address.ts";
import { isSourceAddress, sourceKinds } from "../open_source.ts";
import {
  parseCommandLine,
  resolvePath,
  UsageError,
} from "../../command_line/parse_command_line.ts";
import { runCommand } from "../../command_line/run_command.ts";
import { sample } from "../conversations.ts";
import { seedSqlite } from "./seed_sqlite.ts";

/**
 * Writes contacts to `sqlite:FILE`, `postgres://…` or `mongodb://…`, in place of those that were there.
 *
 * @returns The number of messages, and the source's name without secrets.
 */
export async function seedSource(
  address: string,
  contacts: Iterable<SeedContact>,
  signal?: AbortSignal,
): Promise<{ messages: number; name: string }> {
  checkAddress(address);
  if (address.startsWith("sqlite:")) {
    const path = address.slice("sqlite:".length);
    return { messages: await seedSqlite(path, contacts, signal), name: address };
  }
  if (address.startsWith("postgres")) {
    const { seedPostgres } = await import("./seed_postgres.ts");
    return await seedPostgres(address, contacts, signal);
  }
  const { seedMongodb } = await import("./seed_mongodb.ts");
  return await seedMongodb(address, contacts, signal);
}

/** The command `deno task dev extract-seed`; returns its exit code. */
export async function extractSeed(args: readonly string[], signal: AbortSignal): Promise<number> {
  const flags = parseCommandLine(args, {
    command: "deno task dev extract-seed",
    about:
      "Generates contacts with conversations that begin on 2026-01-01, the same for a seed.\n" +
      "Replaces existing data.",
    flags: {
      source: {
        kind: "text",
        value: "S",
        about: `${sourceKinds}; default: sqlite:conversations.sqlite`,
      },
      contacts: { kind: "integer", about: "default: 20000", minimum: 1, maximum: 10_000_000 },
      days: { kind: "integer", about: "default: 30", minimum: 1, maximum: 3_650 },
      seed: { kind: "integer", about: "default: 1", maximum: 2 ** 32 - 1 },
    },
    examples: [
      "deno task dev extract-seed --source sqlite:demo.sqlite --contacts 1000",
      "deno task dev extract-seed --source mongodb://127.0.0.1/demo --days 90 --seed 7",
    ],
  });
  const { source = "sqlite:conversations.sqlite", contacts = 20_000 } = flags;
  const { days = sample.days, seed = sample.seed } = flags;
  if (!isSourceAddress(source)) {
    throw new UsageError(`--source must be ${sourceKinds}, got ${readAddress(source).name}`);
  }
  const file = /^sqlite:(.+)$/s.exec(source)?.[1];
  const address = file === undefined ? source : `sqlite:${resolvePath(file)}`;
  const seeded = await seedSource(address, seedContacts({ contacts, days, seed }), signal);
  console.log(`${contacts} contacts, ${seeded.messages} messages: ${seeded.name}`);
  return 0;
}

if (import.meta.main) await runCommand(extractSeed);
