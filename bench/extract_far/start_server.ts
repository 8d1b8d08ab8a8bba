import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { scriptCommand } from "./script_command.ts";
import { startSpeaking } from "./start_speaking.ts";

/** The servers that can be started here. */
export type ServerName = "postgres" | "ferretdb";

/** How it is started; `undefined`: it is not known where it is. */
function commandOf(name: ServerName, folder: string): [string, ...string[]] | undefined {
  if (name === "postgres") {
    return scriptCommand(new URL("../../scripts/postgres/run.ts", import.meta.url));
  }
  const executable = process.env.HOSEPIPE_FERRETDB;
  // With its data in memory it would have one connection to them, for all of its clients.
  return executable ? [executable, "--data", folder] : undefined;
}

/**
 * Starts a server of this machine's own, which ends with this process.
 *
 * @returns Its address; `undefined` if it cannot be started here.
 */
export async function startServer(name: ServerName): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), `hosepipe-${name}-`));
  const clear = () => rmSync(folder, { recursive: true, force: true });
  const command = commandOf(name, folder);
  if (command === undefined) {
    clear();
    return undefined;
  }
  const { child, line } = await startSpeaking(command);
  process.once("exit", () => {
    child.kill("SIGTERM");
    clear();
  });
  // It ends with this process; this one does not wait for it.
  child.stdin!.destroy();
  child.unref();
  return line;
}
