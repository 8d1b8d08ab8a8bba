import { existsSync } from "node:fs";
import process from "node:process";
import { type Broker, brokerAddresses, openBroker } from "./broker.ts";
import { readAddress } from "../secrets/read_address.ts";
import { parseCommandLine, resolvePath, UsageError } from "../command_line/parse_command_line.ts";
import { type NeedsOf, runCommand } from "../command_line/run_command.ts";
import { realPath } from "../command_line/check_writable.ts";

/** What can be done with a queue. */
const actions = ["inspect", "list", "replay", "purge"] as const;
type Action = (typeof actions)[number];

const shownLength = 60;

/** What an action is asked for. */
interface ActFlags {
  /** Letters to replay or purge; `undefined` are all. */
  readonly ids: readonly string[] | undefined;
  readonly limit: number | undefined;
  readonly after: string | undefined;
  readonly json: boolean;
}

/** On one line, with nothing that a terminal obeys. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16).padStart(4, "0");
    return character === "\n" ? "\\n" : `\\u${code}`;
  });
}

function shorten(body: unknown): string {
  if (body === null) return "no body";
  if (typeof body !== "string") return `${(body as Uint8Array).length} bytes`;
  return `"${plain(body.slice(0, shownLength))}${body.length > shownLength ? "…" : ""}"`;
}

/** Does it; gives lines for people or programs. */
async function act(
  queue: Broker["queue"],
  action: Action,
  { ids, limit, after, json }: ActFlags,
): Promise<string[]> {
  if (action === "inspect") {
    const found = { ...await queue.depth(), oldestAgeMs: await queue.oldestAgeMs?.() };
    if (json) return [JSON.stringify(found)];
    return Object.entries(found).filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}: ${Math.round(value!)}`);
  }
  const { dead } = queue;
  if (dead === undefined) {
    throw new Error(`Cannot ${action}: a queue of NATS, SQS or Kafka has no such access`);
  }
  if (action === "list") {
    const letters = await dead.list({ limit, after });
    if (json) return letters.map((letter) => JSON.stringify(letter));
    return letters.map(({ id, diedAt, deliveries, reason, body }) =>
      plain(`${id}  ${diedAt.toISOString()}  ${deliveries} deliveries  ${reason}  `) + shorten(body)
    );
  }
  const count = await dead[action](ids);
  if (json) return [JSON.stringify({ [action]: count })];
  const letters = count === 1 ? "1 dead letter" : `${count} dead letters`;
  return [action === "replay" ? `${letters} put back` : `${letters} deleted`];
}

function readFlags(args: readonly string[]) {
  const flags = parseCommandLine(args, {
    command: "deno task queue",
    about: "Shows a queue and its dead letters, and replays or deletes dead letters.\n" +
      "  inspect            counts of messages, and the age of the oldest\n" +
      "  list               dead letters\n" +
      "  replay ID… | --all puts dead letters back into the queue, with their ids\n" +
      "  purge ID… | --all  deletes dead letters",
    examples: [
      "deno task queue list --broker sqlite:orders.sqlite --limit 10",
      "deno task queue replay --all --broker postgres://postgres@127.0.0.1/shop --name invoices",
    ],
    positional: "inspect|list|replay|purge",
    flags: {
      broker: { kind: "text", value: "ADDRESS", about: "where the queue is; must be given" },
      name: { kind: "text", value: "NAME", about: "table or key; default: that of consume" },
      limit: { kind: "integer", about: "letters to list; default: 100", minimum: 1, maximum: 1e6 },
      after: { kind: "text", value: "ID", about: "list those behind this letter" },
      all: { kind: "boolean", about: "replay or purge every letter" },
      json: { kind: "boolean", about: "one line of JSON for each letter or queue" },
    },
  });
  const [action, ...ids] = flags._;
  if (!actions.includes(action as Action)) {
    throw new UsageError(`Name what to do: ${actions.join(", ")}`);
  }
  const { broker } = flags;
  if (broker === undefined || !brokerAddresses.areLike(broker)) {
    const got = broker === undefined ? "nothing" : readAddress(broker).name;
    throw new UsageError(`--broker must be ${brokerAddresses.about}, got ${got}`);
  }
  const isChange = action === "replay" || action === "purge";
  if (isChange && flags.all === ids.length > 0) {
    throw new UsageError(`${action} takes ids or --all`);
  }
  if (!isChange && (flags.all || ids.length > 0)) {
    throw new UsageError(`${action} takes neither ids nor --all`);
  }
  return { ...flags, action: action as Action, broker, ids: flags.all ? undefined : ids };
}

/** The file of a queue in SQLite. */
function pathOf(address: string): string | undefined {
  if (!address.startsWith("sqlite:")) return undefined;
  return resolvePath(address.slice("sqlite:".length));
}

/** What the command needs: SQLite writes files beside its own. */
export const queueNeeds: NeedsOf = (args) => {
  const path = pathOf(readFlags(args).broker);
  if (path === undefined) return { needs: { net: "any" } };
  const real = realPath(path);
  return { needs: { write: [path, ...["", "-journal", "-wal", "-shm"].map((end) => real + end)] } };
};

/** The command `deno task queue`. */
export async function queue(args: readonly string[]): Promise<void> {
  const { broker: given, action, name, ...flags } = readFlags(args);
  let address = given;
  const path = pathOf(given);
  if (path !== undefined) {
    // SQLite would make it.
    if (!existsSync(path)) throw new Error(`Cannot open --broker ${address}: no such file`);
    address = `sqlite:${path}`;
  }
  const broker = await openBroker(address, { leaseMs: 30_000, name });
  try {
    for (const line of await act(broker.queue, action, flags)) console.log(line);
  } finally {
    await broker.close();
  }
}

if (import.meta.main) {
  await runCommand(queue);
  // A connection that is about to close must not keep the process.
  process.exit();
}
