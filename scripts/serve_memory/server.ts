/** One contestant of serve_file in a process of its own: `server.ts NAME FOLDER FILE`; prints its port. */
import process from "node:process";
import { contestants } from "../../bench/serve_file/contestants.ts";

const [name, folder, file] = process.argv.slice(2) as [string, string, string];
const serve = await contestants.find((one) => one.name === name)!.load();
console.log((await serve({ folder, name: file })).port);
