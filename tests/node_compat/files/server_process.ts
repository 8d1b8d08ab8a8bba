/** A server in a process of its own, which tells what it holds for each line it is sent. */
import process from "node:process";
import { createInterface } from "node:readline";
import { type ServeApi, startServer } from "../../../scenarios/serve/start_server.ts";

const [api, root] = process.argv.slice(2) as [ServeApi, string];
let unhandled = 0;
process.on("unhandledRejection", () => unhandled++);
process.on("uncaughtException", () => unhandled++);

const server = await startServer(api, { root }, { host: "127.0.0.1", port: 0 });
console.log(JSON.stringify({ port: server.port, processId: process.pid }));
for await (const _ of createInterface({ input: process.stdin })) {
  const rssMiB = process.memoryUsage().rss / 2 ** 20;
  console.log(JSON.stringify({ unhandled, rssMiB }));
}
await server.close(0);
process.exit();
