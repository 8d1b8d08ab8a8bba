import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFauxqs } from "fauxqs";
import { freePort } from "./servers/free_port.ts";
import process from "node:process";
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The command that runs a file of this project, of node:* modules alone, in the runtime that this is. */
function scriptCommand(file: URL, ...args: readonly string[]): [string, ...string[]] {
  const isDeno = process.versions.deno !== undefined;
  const flags = isDeno ? ["run", "--quiet", "-A"] : [];
  return [process.execPath, ...flags, fileURLToPath(file), ...args];
}

/** A script that runs a server, and prints a line once that answers. */
class ServerProcess {
  readonly #name: string;
  readonly #script: URL;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  constructor(name: string, script: URL, env: Readonly<Record<string, string>>) {
    this.#name = name;
    this.#script = script;
    this.#env = env;
  }

  async start(flags: readonly string[]): Promise<void> {
    const [command, ...args] = scriptCommand(this.#script);
    const child = spawn(command, [...args, ...flags], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...this.#env },
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout!.once("data", () => resolve());
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`${this.#name} has ended with code ${code}`)));
    });
  }

  /** Lets `end` kill what runs, and waits until it has gone; nothing if it has gone before. */
  async kill(end: (pid: number) => void | Promise<void>): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await end(child.pid!);
    await ended;
  }
}

/** A Redis of one's own, which can be killed and started again. */
export class RedisServer {
  readonly #folder: string;
  readonly port: number;
  readonly #process: ServerProcess;

  constructor(folder: string, port: number, env: Readonly<Record<string, string>> = {}) {
    this.#folder = folder;
    this.port = port;
    const script = new URL("../../../scripts/redis/run.ts", import.meta.url);
    this.#process = new ServerProcess("Redis", script, env);
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(primary?: RedisServer): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const flags = ["--data", this.#folder, "--port", `${this.port}`];
    if (primary !== undefined) flags.push("--replica-of", `${primary.port}`);
    await this.#process.start(flags);
  }

  /** Ends it as a crash does. */
  kill(): Promise<void> {
    return this.#process.kill((pid) => void process.kill(pid, "SIGHUP"));
  }
}

/** A PostgreSQL of one's own, which can be killed and started again. */
export class PostgresServer {
  readonly #folder: string;
  readonly #port: number;
  readonly #process: ServerProcess;

  constructor(folder: string, port: number, env: Readonly<Record<string, string>> = {}) {
    this.#folder = folder;
    this.#port = port;
    const script = new URL("../../../scripts/postgres/run.ts", import.meta.url);
    this.#process = new ServerProcess("PostgreSQL", script, env);
  }

  get uri(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  start(): Promise<void> {
    return this.#process.start(["--data", this.#folder, "--port", `${this.#port}`]);
  }

  /** At once, with no checkpoint, so that it recovers when it is started again: what is shared is not left behind. */
  kill(): Promise<void> {
    return this.#process.kill(async () => {
      const file = join(this.#folder, "data/postmaster.pid");
      const [pid] = (await readFile(file, "utf8")).split("\n");
      process.kill(Number(pid), "SIGQUIT");
    });
  }
}

/** The program built of `scripts/nats`. */
const program = process.env.HOSEPIPE_NATS_SERVER;

/** One NATS server, as a process of its own that ends with this one. */
export class NatsServer {
  readonly #args: readonly string[];
  readonly port: number;
  #child: ChildProcess | undefined;

  constructor(port: number, data: string, ...args: readonly string[]) {
    this.port = port;
    this.#args = ["--with-parent", "--port", `${port}`, "--data", data, ...args];
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** Fulfils once clients may connect. */
  async start(): Promise<void> {
    if (!program) {
      throw new Error("HOSEPIPE_NATS_SERVER must name the program built of scripts/nats");
    }
    const child = spawn(program, [...this.#args], { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout!.once("data", () => resolve());
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`NATS has ended with code ${code}`)));
    });
  }

  /** Ends it as a crash does. */
  async kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    process.kill(child.pid!, signal);
    await ended;
    this.#child = undefined;
  }
}

/** A Kafka of one's own, which can be killed and started again. */
export class KafkaServer {
  readonly #folder: string;
  readonly port: number;
  readonly #process: ServerProcess;

  constructor(folder: string, port: number, env: Readonly<Record<string, string>> = {}) {
    this.#folder = folder;
    this.port = port;
    const script = new URL("../../../scripts/kafka/run.ts", import.meta.url);
    this.#process = new ServerProcess("Kafka", script, env);
  }

  get broker(): string {
    return `127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await this.#process.start(["--data", this.#folder, "--port", `${this.port}`]);
  }

  /** Ends it as a crash does. */
  kill(): Promise<void> {
    return this.#process.kill((pid) => void process.kill(pid, "SIGHUP"));
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

/** A server that can be killed and started again. */
export interface FaultServer {
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** Where a fault is tried: a queue and a store of its own. */
export interface FaultPlace {
  /** The queue's address. */
  readonly broker: string;
  /** The store's file. */
  readonly store: string;
  /** Where all of it is. */
  readonly folder: string;
  /** None for SQLite. */
  readonly server: FaultServer | undefined;
}

function serverOf(
  kind: QueueKind,
  folder: string,
  port: number,
  env: Readonly<Record<string, string>>,
): FaultServer & { readonly address: string } | undefined {
  if (kind === "sqlite") return undefined;
  if (kind === "postgres") {
    const server = new PostgresServer(folder, port, env);
    return Object.assign(server, { address: server.uri });
  }
  if (kind === "redis") {
    const server = new RedisServer(folder, port, env);
    return Object.assign(server, { address: server.url });
  }
  if (kind === "kafka") {
    const server = new KafkaServer(folder, port, env);
    return Object.assign(server, { address: `kafka://${server.broker}/orders` });
  }
  if (kind === "sqs") {
    // What it has is in memory: to kill it would be to lose it.
    let server: Awaited<ReturnType<typeof startFauxqs>> | undefined;
    return {
      address: `sqs://127.0.0.1:${port}/orders`,
      start: async () =>
        void (server = await startFauxqs({ port, host: "127.0.0.1", logger: false })),
      kill: async () => await server?.stop(),
    };
  }
  const server = new NatsServer(port, folder, ...(kind === "nats" ? [] : ["--sync-always"]));
  return Object.assign(server, { address: server.url });
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
  const server = serverOf(kind, join(folder, "server"), port, env);
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
