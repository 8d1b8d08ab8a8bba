import { spawn } from "node:child_process";
import { access, constants, mkdir, readdir, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import process from "node:process";
import { CaseRefusal } from "../measure/workload.ts";

/** A server that was started, and its address. */
export interface NatsServer {
  readonly servers: string;
  /** Ends it; fulfils once it has. */
  stop(): Promise<void>;
}

const startMs = 20_000;
const lookEveryMs = 20;

/** The first `nats-server` on `PATH`. */
async function findOnPath(): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? "").split(delimiter).filter(Boolean)) {
    const program = join(folder, "nats-server");
    const isThere = await access(program, constants.X_OK).then(() => true, () => false);
    if (isThere) return program;
  }
  return undefined;
}

/** `nats-server` in a shell that ends it when standard input does, as when this process dies. */
function commandOf(program: string, data: string, ports: string): [string, string[]] {
  const script = 'program=$1; shift; "$program" "$@" >/dev/null 2>&1 & cat; kill -KILL $!; wait';
  const args = ["-a", "127.0.0.1", "-p", "-1", "-js", "-sd", data, "--ports_file_dir", ports];
  return ["/bin/sh", ["-c", script, "sh", program, ...args]];
}

/** The address that `nats-server` writes into a file once it listens. */
async function readPorts(folder: string): Promise<string> {
  for (let waitedMs = 0; waitedMs < startMs; waitedMs += lookEveryMs) {
    const [file] = (await readdir(folder)).filter((name) => name.endsWith(".ports"));
    const text = file && await readFile(join(folder, file), "utf8");
    // It may be half written.
    const [address] = /nats:\/\/[^"]+(?=")/.exec(text ?? "") ?? [];
    if (address !== undefined) return address;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  throw new Error(`nats-server does not listen after ${startMs / 1000} s`);
}

/**
 * Starts a server with JetStream in `folder`: the program that `HOSEPIPE_NATS_SERVER` names, built of scripts/nats, or
 * `nats-server` on `PATH`.
 *
 * @throws {CaseRefusal} If there is neither.
 */
export async function startNats(folder: string): Promise<NatsServer> {
  const own = process.env.HOSEPIPE_NATS_SERVER;
  const found = own ? undefined : await findOnPath();
  if (!own && found === undefined) {
    throw new CaseRefusal(
      "not run: no nats-server on PATH, and HOSEPIPE_NATS_SERVER names no program built of scripts/nats",
    );
  }
  const ports = join(folder, "ports");
  await mkdir(ports, { recursive: true });
  const data = join(folder, "nats");
  const [command, args] = own
    ? [own, ["--with-parent", "--data", data]]
    : commandOf(found!, data, ports);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject);
    void ended.then(() => reject(new Error(`${command} has ended`)));
  });
  failed.catch(() => {});
  const said = new Promise<string>((resolve) =>
    child.stdout.once("data", (text) => resolve(String(text).trim()))
  );
  const stop = (): Promise<void> => {
    child.stdin.end();
    return ended;
  };
  try {
    return { servers: await Promise.race([own ? said : readPorts(ports), failed]), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
