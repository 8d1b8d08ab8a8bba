import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { UsageError } from "../../scenarios/command_line/parse_command_line.ts";
import { consume } from "../../scenarios/consume/command.ts";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { describeVerdict } from "../../scenarios/consume/describe_verdict.ts";
import { type Evidence, judge } from "../../scenarios/consume/verdict.ts";
import { inFolder } from "../lib/in_folder.ts";
import { startScript } from "../lib/start_script.ts";
import { skipKafka } from "../queue/adapters/_kafka.ts";
import { sqsAddress } from "../queue/adapters/_sqs.ts";
import { skipNats, withNats } from "../queue/adapters/_nats_server.ts";
import { isThorough } from "../lib/thorough.ts";
import { until } from "../lib/until.ts";

const isWindows = process.platform === "win32" ? "no signals there" : false;

/** Its workers are in all runtimes, whatever runs it. */
const skipMixed = isThorough || currentRuntime().name === "bun" ? false : "runs under bun";

/** With so few at a time, work takes its time, and costs little. */
const slowly = ["--max-in-flight", "10"];

const start = (args: readonly string[], folder = tmpdir()) =>
  startScript("scenarios/consume/command.ts", args, { TMPDIR: folder });
const run = (args: readonly string[], folder?: string) => start(args, folder).ended;

/** Runs a command line that is refused: as a command or, which costs a process less, as the function that it calls. */
async function refuse(args: readonly string[], asCommand: boolean, folder?: string) {
  if (asCommand || isThorough) return await run(args, folder);
  const error = await assertRejects(() => consume(args, new AbortController().signal), Error);
  return { code: error instanceof UsageError ? 2 : 1, stdout: "", stderr: `${error.message}\n` };
}

for (const queue of ["orders", "orders.fifo"]) {
  test(`orders in ${queue} of SQS are stored, each once`, async () => {
    const { port } = new URL(await sqsAddress());
    const place = ["--broker", `sqs://127.0.0.1:${port}/${queue}`, "--messages", "200"];
    const { code, stdout, stderr } = await run([...place, "--json"]);
    assertEquals([code, stderr], [0, ""]);
    const { sent, stored, dead, lost } = JSON.parse(stdout);
    assertEquals({ sent, stored, dead, lost }, { sent: 200, stored: 200, dead: 0, lost: 0 });
  });
}

test("orders in a topic of Kafka are stored, each once", { skip: skipKafka }, async () => {
  const topic = `orders-${randomUUID()}`;
  const place = ["--broker", `kafka://${process.env.KAFKA_BROKERS}/${topic}`];
  const { code, stdout, stderr } = await run([...place, "--messages", "200", "--json"]);
  // Its client warns of what Node does not like.
  assertEquals(code, 0, stderr);
  const { sent, stored, dead, lost } = JSON.parse(stdout);
  assertEquals({ sent, stored, dead, lost }, { sent: 200, stored: 200, dead: 0, lost: 0 });
});

test("a broker that is not there, or no broker, exits 1 with one line, and nothing is begun", () =>
  inFolder(async (folder) => {
    const junk = join(folder, "junk");
    await writeFile(junk, "no database".repeat(1_000));
    for (
      const [args, problem] of [
        [["--broker", "nats://127.0.0.1:1"], /^Cannot open --broker nats:\/\/127\.0\.0\.1:1: /],
        [
          ["--broker", "postgres://me:secret@127.0.0.1:1/shop"],
          /^Cannot open --broker postgres:\/\/\*\*\*@127\.0\.0\.1:1\/shop: (?!.*secret)/,
        ],
        [
          ["--broker", "redis://me:secret@127.0.0.1:1/2"],
          /^Cannot open --broker redis:\/\/\*\*\*@127\.0\.0\.1:1\/2: (?!.*secret)/,
        ],
        [
          ["--broker", "kafka://127.0.0.1:1/t"],
          /^Cannot open --broker kafka:\/\/127\.0\.0\.1:1\/t: /,
        ],
        [["--broker", "sqs://127.0.0.1:1/q"], /^Cannot open --broker sqs:\/\/127\.0\.0\.1:1\/q: /],
        [
          ["--broker", `sqlite:${folder}/none/x`],
          /^Cannot open --broker sqlite:.*: unable to open/,
        ],
        [
          ["--broker", `sqlite:${junk}`],
          /^Cannot open --broker sqlite:.*: file is not a database\n$/,
        ],
        [["--store", junk], /^Cannot open --store .*: file is not a database\n$/],
      ] as const
    ) {
      // One of each kind of file and of server: the command is the same for all.
      const asCommand = args[1].startsWith("nats:") || args[0] === "--store";
      const { code, stdout, stderr } = await refuse(
        ["--messages", "5", ...args],
        asCommand,
        folder,
      );
      assertEquals([code, stdout, stderr.trim().split("\n").length], [1, "", 1], stderr);
      assertMatch(stderr, problem);
    }
    assertEquals(await readdir(folder), ["junk"]);
  }));

test(
  "NATS: wrong credentials and a missing stream exit 1 with one line",
  { skip: skipNats },
  () =>
    withNats(
      async (server) => {
        const address = `127.0.0.1:${server.port}`;
        for (
          const [broker, problem] of [
            [
              `nats://a:wrong@${address}`,
              /^Cannot open --broker nats:\/\/\*\*\*@127.*: .*[Aa]uthorization/,
            ],
            [
              `nats://a:b@${address}/none`,
              /^Cannot open --broker .*: JetStream answers .*stream not found\n$/,
            ],
          ] as const
        ) {
          const { code, stdout, stderr } = await run(["--messages", "5", "--broker", broker]);
          assertEquals([code, stdout, stderr.trim().split("\n").length], [1, "", 1], stderr);
          assertMatch(stderr, problem);
          assert(!stderr.includes("wrong"), "no password is shown");
        }
        // The workers' part of it is the same in all runtimes.
        if (skipMixed) return;
        const good = ["--broker", `nats://a:b@${address}`, "--workers", "1"];
        const { code, stdout } = await run(["--messages", "50", ...good]);
        assertEquals(code, 0);
        assertMatch(stdout, /^50 sent = 50 stored \+ 0 dead; 0 lost; 0 repeats absorbed/);
      },
      "--user",
      "a:b",
    ),
);

test("messages go through two workers to a store, and what was made for it is removed", () =>
  inFolder(async (folder) => {
    const { code, stdout, stderr } = await run(["--messages", "500"], folder);
    assertEquals([code, stderr], [0, ""]);
    assertMatch(
      stdout,
      /^500 sent = 500 stored \+ 0 dead; 0 lost; 0 repeats absorbed \([\d.]+ s\)\n$/,
    );
    assertEquals(await readdir(folder), []);
  }));

test(
  "workers in mixed runtimes are killed, and the verdict stands",
  { skip: isWindows || skipMixed },
  async () => {
    const { code, stdout, stderr } = await run([
      ...["--messages", "1000", "--workers", "3", "--runtime", "deno,bun,node", "--json"],
      ...["--kill-every-ms", "500", "--lease-ms", "400", "--max-in-flight", "20"],
    ]);
    assertEquals([code, stderr], [0, ""]);
    const verdict = JSON.parse(stdout);
    assertEquals([verdict.sent, verdict.stored + verdict.dead, verdict.lost], [1000, 1000, 0]);
  },
);

test("a queue and a store that are kept take a second run", () =>
  inFolder(async (folder) => {
    const files = ["--broker", `sqlite:${folder}/q`, "--store", `${folder}/s`];
    const args = ["--messages", "100", "--workers", "1", ...files];
    for (let round = 0; round < 2; round++) {
      const { code, stdout } = await run(args);
      assertEquals(code, 0);
      assertMatch(stdout, /^100 sent = 100 stored \+ 0 dead; 0 lost/);
    }
    const store = new DatabaseSync(`${folder}/s`);
    const [row] = store.prepare("SELECT count(DISTINCT order_number) AS orders FROM lines").all();
    assertEquals(row!.orders, 200);
    store.close();
  }));

/** Waits until a worker has stored something. */
async function untilStored(path: string): Promise<void> {
  await until(() => existsSync(`${path}-wal`));
  const store = new DatabaseSync(path);
  store.exec("PRAGMA busy_timeout = 5000");
  const hasSome = (sql: string) => store.prepare(sql).get() !== undefined;
  await until(() => hasSome("SELECT 1 FROM sqlite_master WHERE name = 'dead'"));
  await until(() => hasSome("SELECT 1 FROM lines LIMIT 1"));
  store.close();
}

test("Ctrl-C lets workers finish what they have begun; the rest is there for the next run", {
  skip: isWindows,
}, () =>
  inFolder(async (folder) => {
    const args = ["--broker", `sqlite:${folder}/q`, "--store", `${folder}/s`];
    const { child, ended } = start(["--messages", "20000", ...slowly, ...args]);
    await untilStored(`${folder}/s`);
    process.kill(child.pid!, "SIGINT");
    const { code, stdout } = await ended;
    assertEquals(code, 130);
    assertMatch(stdout, / sent = .* still in the queue; 0 lost; 0 repeats absorbed/);
    const again = await run(["--messages", "0", "--workers", "1", "--json", ...args]);
    assertEquals([again.code, JSON.parse(again.stdout).repeats], [0, 0]);
  }));

test(
  "workers end with the one that started them, however that ends",
  { skip: isWindows },
  () =>
    inFolder(async (folder) => {
      const { child, ended } = start([
        ...[
          "--messages",
          "5000",
          ...slowly,
          "--broker",
          `sqlite:${folder}/q`,
          "--store",
          `${folder}/s`,
        ],
      ]);
      const queue = () => new DatabaseSync(`${folder}/q`, { readOnly: true });
      await untilStored(`${folder}/s`);
      process.kill(child.pid!, "SIGKILL");
      await ended;
      const count = () => {
        const database = queue();
        const [row] = database.prepare("SELECT count(*) AS left FROM orders").all();
        database.close();
        return row!.left as number;
      };
      // A worker may be at a batch still, however long a busy machine lets it take.
      let [left, before] = [count(), -1];
      while (left !== before) {
        await wait(500);
        [left, before] = [count(), left];
      }
      assert(left > 0, "nobody works any more");
    }),
);

const summary = {
  ...{ orders: 0, lines: 0, repeats: 0, wrong: 0, doubled: 0 },
  ...{ incomplete: 0, lastOrder: -1 },
};
const evidence: Evidence = {
  sent: 100,
  before: { ...summary, dead: 0 },
  after: { ...summary, orders: 98, dead: 2, waiting: 0, leased: 0 },
  crashes: { lines: 0, repeated: 0 },
  kills: 0,
  badEnds: [],
  wasInterrupted: false,
  elapsedMs: 1234,
};

for (
  const [what, change, problems] of [
    ["all is well", {}, []],
    ["a message is lost", { sent: 101 }, ["1 message lost"]],
    ["what cannot be read is dead", { hostile: 1, sent: 99 }, []],
    ["what cannot be read is not dead", { hostile: 3, sent: 97 }, [
      "1 message not dead that cannot be read",
    ]],
    ["there are more than were sent", { sent: 98 }, ["2 messages more than were sent"]],
    ["a line is wrong", { after: { ...evidence.after, wrong: 1 } }, ["1 line not what was sent"]],
    ["orders lack lines", { after: { ...evidence.after, incomplete: 3 } }, [
      "3 orders with a line too few",
    ]],
    ["dead letters lack lines", { after: { ...evidence.after, incomplete: 2 } }, []],
    ["the queue is not empty", { sent: 105, after: { ...evidence.after, leased: 5 } }, [
      "5 messages still in the queue",
    ]],
    ["a run was interrupted", {
      sent: 105,
      after: { ...evidence.after, waiting: 5 },
      wasInterrupted: true,
    }, []],
    ["lines of a crash are missing", { crashes: { lines: 5, repeated: 3 } }, [
      "2 lines of killed workers never came again",
    ]],
    ["a worker ended badly", { badEnds: ["oh"] }, ["a worker did not end well: oh"]],
  ] as const
) {
  test(`the verdict where ${what}`, () => {
    const verdict = judge({ ...evidence, ...change } as Evidence);
    assertEquals(verdict.problems, problems);
    const text = describeVerdict(verdict);
    assertEquals(text.filter((line) => line.startsWith("Wrong: ")).length, problems.length);
    assertEquals(text[0]!.includes("≠"), verdict.lost !== 0);
  });
}
