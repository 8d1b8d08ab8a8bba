// Prints the CPU time, in milliseconds, that the import of a module takes.
import process from "node:process";

const before = process.cpuUsage();
await import(process.argv[2]!);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
process.exit();
