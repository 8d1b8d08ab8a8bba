// Runs commands of @hosepipe/cli in this runtime, in a folder of its own.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { promisify } from "node:util";

const program = "node_modules/@hosepipe/cli/dist/main.js";
const [command, ...args] = process.versions.deno
  ? [process.execPath, "run", "--allow-all", program]
  : [process.execPath, program];

/** Runs a command; gives the last line that it says. */
async function run(...rest) {
  const { stdout } = await promisify(execFile)(command, [...args, ...rest]);
  return stdout.trim().split("\n").at(-1);
}

const folder = await mkdtemp("commands-");
const [input, output, file] = ["in.csv", "out.csv", "shop.db"].map((name) => `${folder}/${name}`);
await writeFile(input, "id,name\n1,Ada\n2,Alan\n");
const table = "CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT)";
if (process.versions.bun) new (await import("bun:sqlite")).Database(file).run(table);
else new (await import("node:sqlite")).DatabaseSync(file).exec(table);
console.log(await run("load", "--in", input, "--target", `sqlite:${file}`, "--table", "orders"));
await run("extract", "--source", `sqlite:${file}`, "--table", "orders", "--out", output);
const written = await readFile(output, "utf8");
console.log(written.replaceAll("\r\n", "\n") === await readFile(input, "utf8"));
console.log((await run("consume", "--messages", "20")).split(";")[0]);
console.log((await run("demo", "02", "--time-scale", "0")).length > 0);
const missing = await run("queue", "inspect", "--broker", "nats://127.0.0.1:1").catch((
  { stderr },
) => stderr);
console.log(
  missing.includes("npm install @nats-io/transport-node") || existsSync("../node_modules"),
);

const server = spawn(command, [...args, "serve", folder, "--port", "0"], {
  stdio: ["ignore", "pipe", "inherit"],
});
let said = "";
for await (const text of server.stdout) {
  said += text;
  const [address] = /http:\S+/.exec(said) ?? [];
  if (address === undefined) continue;
  console.log(await (await fetch(`${address}in.csv`)).text() === await readFile(input, "utf8"));
  server.kill("SIGINT");
}
// As npm links it.
if (existsSync("node_modules/.bin/hosepipe")) {
  const { stdout } = await promisify(execFile)("node_modules/.bin/hosepipe", ["--help"]);
  console.log(stdout.split("\n")[0]);
}
process.exit();
