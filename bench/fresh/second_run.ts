// Prints the CPU time, in milliseconds, of the second run of async_stages in a process.
import process from "node:process";
import { asyncStages } from "../async_stages/workload.ts";

const [contestant, stages] = process.argv.slice(2) as [string, string];
const params = { chunks: 20_000, stages: Number(stages) };
const { run, verify } = await asyncStages.prepare({ contestant, params });
await run();
const before = process.cpuUsage();
await run();
const { user, system } = process.cpuUsage(before);
await verify();
console.log((user + system) / 1000);
process.exit();
