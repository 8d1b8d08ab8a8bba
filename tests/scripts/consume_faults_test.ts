import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { type FaultRun, readRows } from "../../scenarios/consume/faults/fault_run.ts";
import { openHoldProxy } from "../../scenarios/consume/faults/faults.ts";
import { inFolder } from "../lib/in_folder.ts";
import { startScript } from "../lib/start_script.ts";
import { skipRedis } from "../queue/adapters/_redis.ts";
import { isThorough } from "../lib/thorough.ts";
import { until } from "../lib/until.ts";

const script = "scenarios/consume/faults/command.ts";

// Each needs seconds, and has workers in the same runtime whatever runs it.
const tried = [
  { fault: "stop", queue: "sqlite", home: "node", rounds: 2, why: false },
  { fault: "hostile", queue: "sqlite", home: "deno", rounds: 1, why: false },
  { fault: "partition", queue: "redis", home: "deno", rounds: isThorough ? 2 : 1, why: skipRedis },
] as const;

for (const { fault, queue, home, rounds, why } of tried) {
  const isHere = isThorough || currentRuntime().name === home;
  const skip = why || (process.platform === "win32" && "no signals there") ||
    (isHere ? false : `runs under ${home}`);
  test(
    `${fault} of ${queue} is tried, and the run is added to a file`,
    { skip },
    () =>
      inFolder(async (folder) => {
        const results = join(folder, "runs.jsonl");
        const runtime = ["--runtime", "bun", "--workers", "2"];
        const of = ["--fault", fault, "--queue", queue, "--messages", "1500"];
        const args = [...of, ...runtime, "--rounds", `${rounds}`, "--results", results];
        const { code, stdout, stderr } = await startScript(script, args).ended;
        assertEquals([code, stderr], [0, ""]);
        const runs = readRows<FaultRun>(results);
        assertEquals(stdout.trim().split("\n").map((line) => JSON.parse(line)), runs);
        assertEquals(runs.length, rounds);
        for (const run of runs) {
          const { problems, messages, lost, doubled, dead } = run;
          assertEquals({ problems, messages, lost, doubled, dead }, {
            ...{ problems: [], messages: 1_500 },
            ...{ lost: 0, doubled: 0, dead: 0 },
          });
          assertEquals([run.fault, run.queue, run.runtimes], [fault, queue, ["bun"]]);
        }
      }),
  );
}

test("the proxy holds what is said, and lets it come late; or cuts it, and each new connection", async () => {
  const server = createServer((socket) => socket.on("error", () => {}).pipe(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const proxy = await openHoldProxy(`redis://user:secret@127.0.0.1:${port}/0`);
  const address = new URL(proxy.address);
  assertEquals([address.username, address.password, address.pathname], ["user", "secret", "/0"]);
  const sockets = Array.from({ length: 20 }, () => connect(Number(address.port), "127.0.0.1"));
  const echoes = sockets.map(() => "");
  for (const [index, socket] of sockets.entries()) {
    socket.on("error", () => {}).on("data", (data) => echoes[index] += data);
  }
  for (const socket of sockets) socket.write("a");
  await until(() => echoes.every((echo) => echo === "a"));
  proxy.hold();
  for (const socket of sockets) socket.write("b");
  // That all or none of 20 are held happens once in 500,000 times.
  await until(() => echoes.some((echo) => echo === "ab"));
  assert(echoes.some((echo) => echo === "a"), "none is held");
  proxy.release();
  await until(() => echoes.every((echo) => echo === "ab"));
  const closed = Promise.all(sockets.map((socket) => once(socket, "close")));
  proxy.cut();
  await closed;
  const late = connect(Number(address.port), "127.0.0.1").on("error", () => {});
  await once(late, "close");
  proxy.mend();
  const again = connect(Number(address.port), "127.0.0.1");
  again.write("c");
  assertEquals(String((await once(again, "data"))[0]), "c");
  again.destroy();
  await proxy.close();
  server.close();
});
