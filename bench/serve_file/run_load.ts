import { execFile } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { currentRuntime } from "../../runtimes/current_runtime.ts";

/** What the load's process found. */
export interface LoadResult {
  /** Of the file as it came over the wire. */
  readonly digest: string;
  /** Bytes of bodies, those of unfinished answers included. */
  readonly bytes: number;
  readonly elapsedMs: number;
  /** Answers that ended. */
  readonly answers: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
}

const script = fileURLToPath(new URL("./load.mjs", import.meta.url));

/** Asks for `url` over `connections` for this many seconds, from a process of its own under Node. */
export async function runLoad(
  url: string,
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  const node = currentRuntime().name === "node"
    ? process.execPath
    : process.env.HOSEPIPE_NODE || "node";
  const { stdout } = await promisify(execFile)(node, [
    script,
    url,
    String(connections),
    String(seconds),
  ]);
  return JSON.parse(stdout.trim().split("\n").at(-1)!);
}
