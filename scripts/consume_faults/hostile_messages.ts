import { DatabaseSync } from "node:sqlite";
import { openBroker } from "../../scenarios/consume/broker.ts";
import type { FaultPlace, QueueKind } from "./fault_place.ts";

/** Adds messages that no queue of ours would, past the queue. */
interface RawSender {
  /** One of several kinds, in turn by its number. */
  send(number: number): Promise<unknown>;
  close(): Promise<unknown>;
}

const table = "hosepipe_orders";

function openSqlite(path: string): RawSender {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA busy_timeout = 5000");
  const kinds = [
    ["failures", "'x'", "'text'", 0],
    ["deliveries", "9223372036854775806", "'text'", 0],
    ["failures", "0", "5", 0],
    ["failures", "0", "CAST(x'61ff' AS TEXT)", 0],
    ["isolations", "x'00'", "x'ff'", 1],
  ] as const;
  return {
    send(number) {
      const [column, value, body, isText] = kinds[number % kinds.length]!;
      database.exec(`BEGIN IMMEDIATE;
        INSERT INTO orders (${column}) VALUES (${value});
        INSERT INTO orders_body VALUES (last_insert_rowid(), ${body}, ${isText}); COMMIT`);
      return Promise.resolve();
    },
    close: () => Promise.resolve(database.close()),
  };
}

async function openPostgres(address: string): Promise<RawSender> {
  const { default: postgres } = await import("postgres");
  const sql = postgres(address, { max: 1, onnotice: () => {} });
  const kinds = [
    ["text, failures", "'text', -1"],
    ["text, failures", "'text', 2147483647"],
    ["bytes, is_text", "'\\x61ff', true"],
    ["text, bytes", "NULL, NULL"],
  ] as const;
  return {
    send(number) {
      const [columns, values] = kinds[number % kinds.length]!;
      return Promise.resolve(sql.unsafe(`INSERT INTO ${table} (${columns}) VALUES (${values})`));
    },
    close: () => sql.end({ timeout: 1 }),
  };
}

async function openRedis(url: string): Promise<RawSender> {
  const { createClient } = await import("redis");
  const client = createClient({ url });
  // The server is killed at the end.
  client.on("error", () => {});
  await client.connect();
  const kinds = [
    ["base64", "!!!"],
    ["text", "a", "failures", "x"],
    ["text", "a", "deliveries", "-1"],
    ["other", "field"],
  ];
  return {
    send: (number) =>
      client.sendCommand(["XADD", `{${table}}:stream`, "*", ...kinds[number % kinds.length]!]),
    close: () => Promise.resolve(client.destroy()),
  };
}

async function openNats(servers: string): Promise<RawSender> {
  const { connect, headers } = await import("@nats-io/transport-node");
  const { jetstream } = await import("@nats-io/jetstream");
  const connection = await connect({ servers });
  const client = jetstream(connection);
  return {
    send: (number) =>
      number % 2 === 0
        ? client.publish(table, new Uint8Array([0x61, 0xff]))
        // What the server itself says of a pull.
        : client.publish(table, "no order", { headers: headers(503, "No Responders") }),
    close: () => connection.close(),
  };
}

/** What adds messages that can only die: such as cannot be read, and others whose work fails with a reason without text. */
export function openHostileMessages(
  { broker: address }: FaultPlace,
  kind: QueueKind,
  leaseMs: number,
): { send(): Promise<void>; count(): number; close(): Promise<void> } {
  const open = () => {
    if (kind === "sqlite") return openSqlite(address.slice("sqlite:".length));
    if (kind === "postgres") return openPostgres(address);
    return kind === "redis" ? openRedis(address) : openNats(address);
  };
  let opened: { readonly raw: RawSender; readonly broker: Awaited<ReturnType<typeof openBroker>> };
  let count = 0;
  return {
    async send() {
      // Once the queue is there.
      opened ??= { raw: await open(), broker: await openBroker(address, { leaseMs }) };
      await opened.raw.send(count);
      count++;
      await opened.broker.queue.send([`hostile ${count}`]);
      count++;
    },
    count: () => count,
    async close() {
      await opened?.raw.close();
      await opened?.broker.close();
    },
  };
}
