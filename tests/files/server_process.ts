/** A server in a process of its own, which tells what it holds for each line it is sent. */
import process from "node:process";
import { createInterface } from "node:readline";
import { serverHandler } from "../../src/files/file_handler.ts";
import type { ListenOptions } from "../../scenarios/serve/running_server.ts";
import { startServer } from "../../scenarios/serve/start_server.ts";
import type { ProcessApi } from "./with_server_process.ts";

const [api, root, idleTimeoutMs] = process.argv.slice(2) as [ProcessApi, string, string];
// As the command does: without files left, Deno panics if it needs its handler of signals for the first time.
process.on("SIGTERM", () => process.exit(143));
let unhandled = 0;
process.on("unhandledRejection", () => unhandled++);
process.on("uncaughtException", () => unhandled++);

const troubles: string[] = [];
const listen: ListenOptions = {
  host: "127.0.0.1",
  port: 0,
  onTrouble: (text) => troubles.push(text),
};
const options = {
  root: root!,
  idleTimeoutMs: idleTimeoutMs === "undefined" ? undefined : Number(idleTimeoutMs),
  onError() {},
};

async function start() {
  if (api !== "deno-serve") return await startServer(api, options, listen);
  const { serveWithDenoServe } = await import("../../scenarios/serve/serve_with_deno_serve.ts");
  return await serveWithDenoServe(serverHandler(root, { onError() {} }), listen);
}

const server = await start();
console.log(JSON.stringify({ port: server.port, processId: process.pid }));
for await (const _ of createInterface({ input: process.stdin })) {
  const rssMiB = process.memoryUsage().rss / 2 ** 20;
  console.log(JSON.stringify({ unhandled, rssMiB, troubles }));
}
await server.close(0);
process.exit();
