/** Tries what the process it runs in may do; prints what it could, as JSON. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import process from "node:process";

const [read, written, port] = process.argv.slice(2) as [string, string, string];

async function can(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch {
    return false;
  }
}

async function run(): Promise<void> {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("it did not run");
}

async function reach(): Promise<void> {
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
}

console.log(JSON.stringify({
  read: await can(() => readFile(read)),
  write: await can(() => writeFile(written, "x")),
  connect: await can(reach),
  run: await can(run),
}));
process.exit();
