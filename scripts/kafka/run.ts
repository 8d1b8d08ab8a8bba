/**
 * Runs an Apache Kafka server of its own, broker and controller in one, on loopback ports until it is interrupted;
 * prints its address first. It needs Java 17, and in `HOSEPIPE_KAFKA_LIBRARY` the folder of jars that Maven copies for
 * the `pom.xml` beside this, as `.ci/setup.sh` has it do. `--data FOLDER --port N` keep its data and address, so that it
 * can be killed and started again.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort } from "../../scenarios/consume/faults/servers/free_port.ts";

const { data, port = `${await freePort()}` } = parseArgs({
  options: { data: { type: "string" }, port: { type: "string" } },
}).values;
const folder = data ?? mkdtempSync(join(tmpdir(), "hosepipe-kafka-"));
const controllerPort = await freePort();
const settings = {
  "process.roles": "broker,controller",
  "node.id": "1",
  "controller.quorum.voters": `1@127.0.0.1:${controllerPort}`,
  "listeners": `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
  "advertised.listeners": `PLAINTEXT://127.0.0.1:${port}`,
  "controller.listener.names": "CONTROLLER",
  "log.dirs": join(folder, "data"),
  "auto.create.topics.enable": "false",
  "offsets.topic.replication.factor": "1",
  "offsets.topic.num.partitions": "1",
  "group.initial.rebalance.delay.ms": "0",
  "group.min.session.timeout.ms": "500",
  // Only after that is it let in again if it was killed; one that is not is thrown out by a machine that is busy so long.
  "broker.session.timeout.ms": data === undefined ? "60000" : "1000",
  "broker.heartbeat.interval.ms": "250",
  // It takes memory for as long as it runs.
  "log.cleaner.enable": "false",
};
const settingsPath = join(folder, "server.properties");

/** The arguments of a program of Kafka's, which is to start soon and to stay small. */
function java(program: string, ...args: readonly string[]): string[] {
  const library = process.env.HOSEPIPE_KAFKA_LIBRARY;
  if (library === undefined) throw new Error("HOSEPIPE_KAFKA_LIBRARY names no folder of jars");
  return [
    ...["-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", join(library, "*")],
    ...[program, ...args],
  ];
}

function isListening(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

try {
  writeFileSync(
    settingsPath,
    Object.entries(settings).map(([name, value]) => `${name}=${value}\n`).join(""),
  );
  if (!existsSync(join(folder, "data"))) {
    const format = ["format", "--cluster-id", "hosepipeAAAAAAAAAAAAAA", "--config", settingsPath];
    const made = spawnSync("java", java("kafka.tools.StorageTool", ...format), {
      encoding: "utf8",
    });
    if (made.status !== 0) throw new Error(made.stderr || String(made.error));
  }
  const server = spawn("java", java("kafka.Kafka", settingsPath), {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  server.stderr.setEncoding("utf8").on("data", (text) => log = (log + text).slice(-10_000));
  let isOver = false;
  const ended = new Promise<void>((resolve) => {
    const end = () => resolve(void (isOver = true));
    server.once("close", end).once("error", end);
  });
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => server.kill("SIGTERM"));
  // Killed with the one that has started it, as a crash ends it.
  process.on("SIGHUP", () => server.kill("SIGKILL"));
  while (!isOver && !await isListening()) await pause(50);
  if (isOver) throw new Error(log || "it has ended");
  console.log(`127.0.0.1:${port}`);
  await ended;
} catch (error) {
  console.error(`Cannot start Kafka: ${(error as Error).message.trim()}`);
  process.exitCode = 1;
} finally {
  if (data === undefined) rmSync(folder, { recursive: true, force: true });
}
