/** One server to attack, in a process of its own: `server.ts API FOLDER`; prints its port. */
import process from "node:process";
import type { ServeApi } from "../start_server.ts";
import { startAttacked } from "./attack.ts";

const [api, folder] = process.argv.slice(2) as [ServeApi, string];
// As the command does: without files left, Deno panics if it needs its handler of signals for the first time.
process.on("SIGTERM", () => process.exit(143));
console.log(await startAttacked(api, folder));
