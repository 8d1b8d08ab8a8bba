import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { farSteps } from "../../../bench/extract_far/contestants.ts";
import { farTable } from "../../../bench/extract_far/far_table.ts";
import { openDelay } from "../../../bench/extract_far/open_delay.ts";
import type { Row } from "../../../bench/results/result.ts";
import { seedContacts } from "../../../scenarios/extract/seed/seed_contacts.ts";
import { seedSource } from "../../../scenarios/extract/seed/seed_source.ts";
import {
  inFolder,
  mongodbTest,
  postgresTest,
  seededPeriod,
} from "../../scenarios/extract/_helpers.ts";
import { makeRow } from "../results/_make_row.ts";

/** Climbs the ladder by way of the proxy, and compares what the steps have written. */
async function climb(address: string, steps: readonly string[]): Promise<void> {
  const { messages } = await seedSource(
    address,
    [...seedContacts({ contacts: 40, days: 30, seed: 1 })].filter(({ id }) => id !== 7),
  );
  const far = await openDelay(address, 1);
  try {
    await inFolder(async (folder) => {
      let first: string | undefined;
      for (const { name, load } of farSteps.filter(({ name }) => steps.includes(name))) {
        const outputPath = join(folder, `${name}.csv`);
        const run = await load();
        const job = { address: far.address, outputPath, period: seededPeriod };
        assertEquals(await run(job), messages, name);
        const text = await readFile(outputPath, "utf8");
        first ??= text;
        assert(text === first, name);
      }
    });
  } finally {
    await far.close();
  }
}

postgresTest(
  "every step writes the same bytes from PostgreSQL, a way off",
  (address) => climb(address, farSteps.map(({ name }) => name)),
);

mongodbTest(
  "so do steps of every kind from MongoDB",
  (address) => climb(address, ["load-all", "batch-16", "projection", "partitions-4"]),
);

test("the proxy lets pass what is sent, in order, in both directions", async () => {
  const server = createServer((socket) => void socket.pipe(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const far = await openDelay(`echo://127.0.0.1:${port}/`, 2);
  const { connect } = await import("node:net");
  const socket = connect(Number(new URL(far.address).port), "127.0.0.1");
  let text = "";
  const expected = Array.from({ length: 200 }, (_, index) => `${index}\n`).join("");
  await new Promise<void>((resolve) => {
    socket.setEncoding("utf8").on("data", (more) => {
      text += more;
      if (text.length === expected.length) resolve();
    });
    for (const line of expected.split(/(?<=\n)/)) socket.write(line);
  });
  assertEquals(text, expected);
  socket.destroy();
  await far.close();
  await new Promise((resolve) => server.close(resolve));
});

test("the table shows each database and distance, and marks what is missed", () => {
  const row = (
    contestant: string,
    database: string,
    delayMs: number,
    days: number,
    median: number,
    peakRssMiB = 100,
  ) =>
    ({
      ...makeRow({
        ...{
          workload: "extract_far",
          contestant,
          runtime: "node",
          params: { database, delayMs, days },
        },
      }),
      ...{ median, peakRssMiB },
    }) as Row;
  const table = farTable([
    row("batch-16", "postgres", 10, 30, 9_000),
    row("batch-16", "postgres", 10, 1, 900),
    row("batch-1000", "postgres", 10, 30, 2_000, 130),
    row("batch-1000", "postgres", 10, 1, 200),
    row("projection", "postgres", 10, 30, 3_000),
    row("partitions-8", "postgres", 10, 30, 2_000),
    row("batch-16", "sqlite", 0, 30, 500),
    row("batch-16", "postgres", 0, 30, 1_000),
  ]);
  const lines = table.split("\n").map((line) => line.trim().replaceAll(/ {2,}/g, "|"));
  assertEquals(lines.slice(2, 10), [
    "node 26.0.0|sqlite|postgres 0 ms|postgres 10 ms|postgres MiB, ratio".replace(
      "node 26.0.0",
      lines[2]!.split("|")[0]!,
    ),
    "batch-16|0.50|1.00|9.00|100, 1.00",
    "batch-1000|-|-|2.00|130, 1.30",
    "projection|-|-|3.00|100, -",
    "partitions-8|-|-|2.00|100, -",
    "batch-1000 is so many times as fast as batch-16, at least 3: postgres 4.5",
    "partitions-8 is so many times as fast as one cursor, at least 2: postgres 1.5 (missed)",
    "memory of 30 d to 1 d, at most 1.2 but for load-all: postgres 1.30 by batch-1000 (missed)",
  ]);
  assertEquals(farTable([]), "");
});
