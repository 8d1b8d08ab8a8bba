import { jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { natsQueue } from "../src/queue/nats.ts";
import type { SyncRow } from "./bench_nats_sync/sync_row.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { runCommand } from "./command_line/run_command.ts";
import { withFaultPlace } from "./consume_faults/fault_place.ts";
import { measuredHere } from "./rows/measured.ts";
import { addRow, rowsFile, rowsFlags } from "./rows/rows_file.ts";

const committed = new URL("bench_nats_sync/rows.jsonl", import.meta.url);

/** How many messages are sent by calls of so many. */
const sizes = [
  { callSize: 1, messages: 1_000 },
  { callSize: 100, messages: 10_000 },
];
const body = "x".repeat(200);

type Times = Pick<SyncRow, "callSize" | "messages" | "sendSeconds" | "receiveSeconds">;

async function measure(servers: string, signal: AbortSignal): Promise<Times[]> {
  const connection = await connect({ servers });
  const rows: Times[] = [];
  try {
    for (const { callSize, messages } of sizes) {
      const name = `of_${callSize}`;
      const client = jetstream(connection);
      const manager = await client.jetstreamManager();
      await manager.streams.add({ name, subjects: [name], retention: "workqueue" });
      await manager.consumers.add(name, { durable_name: name, ack_policy: "explicit" });
      const queue = natsQueue(client, { stream: name, consumer: name });
      await queue.open(30_000);
      const startedAt = performance.now();
      for (let sent = 0; sent < messages; sent += callSize) {
        signal.throwIfAborted();
        await queue.send(Array.from({ length: callSize }, () => body));
      }
      const sentAt = performance.now();
      for (let taken = 0; taken < messages;) {
        const deliveries = await queue.receive(100, { waitMs: 1_000, signal });
        signal.throwIfAborted();
        await queue.ack(deliveries.map(({ receipt }) => receipt));
        taken += deliveries.length;
      }
      await queue.close();
      rows.push({
        ...{ callSize, messages, sendSeconds: (sentAt - startedAt) / 1_000 },
        receiveSeconds: (performance.now() - sentAt) / 1_000,
      });
    }
    return rows;
  } finally {
    await connection.close();
  }
}

/** The command `deno task bench:nats-sync`; returns its exit code. */
export async function benchNatsSync(args: readonly string[], signal: AbortSignal): Promise<number> {
  const flags = parseCommandLine(args, {
    command: "deno task bench:nats-sync",
    about:
      "Sends, receives and acknowledges messages of NATS, whose server syncs its disk every two\n" +
      "minutes or for each message (`sync_interval: always`), in turn, and adds each time to the\n" +
      "file behind the sentence in docs/queue-engines.md. HOSEPIPE_NATS_SERVER names the server.",
    examples: [
      "deno task bench:nats-sync",
      "deno task bench:nats-sync --rounds 1 --results /tmp/sync.jsonl",
    ],
    flags: rowsFlags,
  });
  const file = rowsFile(flags.results, committed);
  const here = await measuredHere();
  for (let round = 1; round <= (flags.rounds ?? 5); round++) {
    for (const kind of ["nats", "nats-sync"] as const) {
      const startedAt = new Date().toISOString();
      const times = await withFaultPlace(kind, {}, ({ broker }) => measure(broker, signal));
      for (const one of times) {
        const row: SyncRow = {
          ...{ syncInterval: kind === "nats" ? "default" : "always", round, ...one },
          ...{ startedAt, ...here },
        };
        await addRow(file, row);
        console.log(
          `${row.syncInterval}, calls of ${row.callSize}: ${row.messages} messages sent in ` +
            `${row.sendSeconds.toFixed(2)} s, received in ${row.receiveSeconds.toFixed(2)} s`,
        );
      }
    }
  }
  return 0;
}

if (import.meta.main) await runCommand(benchNatsSync);
