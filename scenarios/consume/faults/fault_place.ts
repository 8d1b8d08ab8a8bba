import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./servers/free_port.ts";
import process from "node:process";
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The command that runs a file of this project, of node:* modules alone, in the runtime that this is. */
function scriptCommand(file: URL): [string, ...string[]] {
  const isDeno = process.versions.deno !== undefined;
  const flags = isDeno ? ["run", "--quiet", "-A"] : [];
  return [process.execPath, ...flags, fileURLToPath(file)];
}

/** The servers that run as processes of their own, by the addresses of their queues. */
const addresses = {
  postgres: "postgres://postgres@127.0.0.1:PORT/postgres",
  redis: "redis://127.0.0.1:PORT",
  nats: "nats://127.0.0.1:PORT",
  kafka: "kafka://127.0.0.1:PORT/orders",
  sqs: "sqs://127.0.0.1:PORT/orders",
} as const;

type ServerKind = keyof typeof addresses;

/** The program built of `scripts/nats`, whose servers end with this process, or the script that runs a server. */
function programOf(kind: ServerKind): [string, ...string[]] {
  if (kind !== "nats") {
    return scriptCommand(new URL(`../../../scripts/${kind}/run.ts`, import.meta.url));
  }
  const program = process.env.HOSEPIPE_NATS_SERVER;
  if (program) return [program, "--with-parent"];
  throw new Error("HOSEPIPE_NATS_SERVER must name the program built of scripts/nats");
}

/** A server of one's own, with its data in a folder, which can be killed and started again. */
export class OwnServer {
  readonly port: number;
  readonly address: string;
  readonly #kind: ServerKind;
  readonly #folder: string;
  readonly #args: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  constructor(
    kind: ServerKind,
    folder: string,
    port: number,
    { args = [], env = {} }: {
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    } = {},
  ) {
    this.#kind = kind;
    this.#folder = folder;
    this.port = port;
    this.address = addresses[kind].replace("PORT", `${port}`);
    this.#args = args;
    this.#env = env;
  }

  /** Fulfils once it has printed a line, as it does when clients may connect. */
  async start(...more: readonly string[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const [command, ...first] = programOf(this.#kind);
    const own = ["--data", this.#folder, "--port", `${this.port}`];
    const child = spawn(command, [...first, ...own, ...this.#args, ...more], {
      stdio: [this.#kind === "nats" ? "pipe" : "ignore", "pipe", "inherit"],
      env: { ...process.env, ...this.#env },
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout!.once("data", () => resolve());
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`${this.#kind} has ended with code ${code}`)));
    });
  }

  /** Ends it as a crash does, and waits until it has gone; nothing if it has gone before. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (this.#kind === "postgres") {
      // At once, with no checkpoint, so that it recovers when it is started again: what is shared is not left behind.
      const file = join(this.#folder, "data/postmaster.pid");
      process.kill(Number((await readFile(file, "utf8")).split("\n")[0]), "SIGQUIT");
    } else process.kill(child.pid!, this.#kind === "nats" ? "SIGKILL" : "SIGHUP");
    await ended;
  }
}

/** The queues that faults are tried on; one of NATS writes each message to the disk before it answers. */
export const queueKinds = [
  "sqlite",
  "postgres",
  "redis",
  "nats",
  "nats-sync",
  "kafka",
  "sqs",
] as const;

/** One of the queues. */
export type QueueKind = typeof queueKinds[number];

/** Where a fault is tried: a queue and a store of its own. */
export interface FaultPlace {
  /** The queue's address. */
  readonly broker: string;
  /** The store's file. */
  readonly store: string;
  /** Where all of it is. */
  readonly folder: string;
  /** None for SQLite. */
  readonly server: OwnServer | undefined;
}

/**
 * Lends a queue of its own to `use`.
 *
 * @param kind Which one.
 * @param prepare Called with the folder before anything is in it; what it returns is called at the end.
 * @param env Variables of the server's environment.
 */
export async function withFaultPlace<R>(
  kind: QueueKind,
  { prepare, env = {} }: {
    readonly prepare?: ((folder: string) => Promise<() => Promise<void>>) | undefined;
    readonly env?: Readonly<Record<string, string>> | undefined;
  },
  use: (place: FaultPlace) => Promise<R>,
): Promise<R> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-consume-faults-"));
  const port = await freePort();
  const end = await prepare?.(folder);
  // PostgreSQL's folder becomes its user's, who must get there.
  await chmod(folder, 0o755);
  await mkdir(join(folder, "server"));
  const server = kind === "sqlite" ? undefined : new OwnServer(
    kind === "nats-sync" ? "nats" : kind,
    join(folder, "server"),
    port,
    { env, args: kind === "nats-sync" ? ["--sync-always"] : [] },
  );
  try {
    await server?.start();
    return await use({
      broker: server?.address ?? `sqlite:${join(folder, "queue.sqlite")}`,
      store: join(folder, "store.sqlite"),
      folder,
      server,
    });
  } finally {
    await server?.kill();
    await end?.();
    await rm(folder, { recursive: true, force: true });
  }
}
