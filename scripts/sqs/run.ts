/**
 * Runs a server of SQS and SNS of its own, fauxqs, until it is interrupted; prints its address first. It listens on
 * every interface, whatever `host` says: that stands in its queues' addresses alone. `--data FOLDER --port N` keep its
 * data and address, so that it can be killed and started again.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { startFauxqs } from "fauxqs";

const { data, port = "0" } = parseArgs({
  options: { data: { type: "string" }, port: { type: "string" } },
}).values;

try {
  const server = await startFauxqs({
    ...{ port: Number(port), host: "127.0.0.1", logger: false },
    ...data !== undefined && { dataDir: data },
  });
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => void server.stop());
  console.log(`http://127.0.0.1:${server.port}`);
} catch (error) {
  console.error(`Cannot start fauxqs: ${(error as Error).message.trim()}`);
  process.exitCode = 1;
}
