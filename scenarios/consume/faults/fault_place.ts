import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** A server as a process of its own, which can be killed and started again. */
class OwnServer {
  readonly port: number;
  #child: ChildProcess | undefined;

  constructor(port: number) {
    this.port = port;
  }

  /** Fulfils once it has printed a line, as it does when clients may connect. */
  protected async spawn(
    name: string,
    [command, ...args]: readonly [string, ...string[]],
    { input = "ignore", env = {} }: {
      readonly input?: "ignore" | "pipe";
      readonly env?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<void> {
    const child = spawn(command, args, {
      stdio: [input, "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout!.once("data", () => resolve());
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`${name} has ended with code ${code}`)));
    });
  }

  /** Lets `end` kill what runs, and waits until it has gone; nothing if it has gone before. */
  protected async end(end: (pid: number) => void | Promise<void>): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await end(child.pid!);
    await ended;
  }
}

/** A server that a script of this project runs, with its data in a folder. */
class ScriptServer extends OwnServer {
  protected readonly folder: string;
  readonly #name: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(
    name: "postgres" | "redis" | "kafka" | "sqs",
    folder: string,
    port: number,
    env: Readonly<Record<string, string>>,
  ) {
    super(port);
    this.folder = folder;
    this.#name = name;
    this.#env = env;
  }

  protected async run(...flags: readonly string[]): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const script = new URL(`../../../scripts/${this.#name}/run.ts`, import.meta.url);
    const own = ["--data", this.folder, "--port", `${this.port}`];
    await this.spawn(this.#name, scriptCommand(script, ...own, ...flags), { env: this.#env });
  }

  start(): Promise<void> {
    return this.run();
  }

  /** Ends it as a crash does. */
  kill(): Promise<void> {
    return this.end((pid) => void process.kill(pid, "SIGHUP"));
  }
}

/** A Redis of one's own, which can be killed and started again. */
export class RedisServer extends ScriptServer {
  constructor(folder: string, port: number, env: Readonly<Record<string, string>> = {}) {
    super("redis", folder, port, env);
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  override start(primary?: RedisServer): Promise<void> {
    return this.run(...primary === undefined ? [] : ["--replica-of", `${primary.port}`]);
  }
}

/** A PostgreSQL of one's own, which can be killed and started again. */
export class PostgresServer extends ScriptServer {
  constructor(folder: string, port: number, env: Readonly<Record<string, string>> = {}) {
    super("postgres", folder, port, env);
  }

  get uri(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** At once, with no checkpoint, so that it recovers when it is started again: what is shared is not left behind. */
  override kill(): Promise<void> {
    return this.end(async () => {
      const file = join(this.folder, "data/postmaster.pid");
      const [pid] = (await readFile(file, "utf8")).split("\n");
      process.kill(Number(pid), "SIGQUIT");
    });
  }
}

/** A Kafka of one's own, which can be killed and started again. */
export class KafkaServer extends ScriptServer {
  constructor(folder: string, port: number, env: Readonly<Record<string, string>> = {}) {
    super("kafka", folder, port, env);
  }

  get broker(): string {
    return `127.0.0.1:${this.port}`;
  }
}

/** A fauxqs of one's own, which can be killed and started again. */
export class SqsServer extends ScriptServer {
  constructor(folder: string, port: number, env: Readonly<Record<string, string>> = {}) {
    super("sqs", folder, port, env);
  }

  get broker(): string {
    return `sqs://127.0.0.1:${this.port}/orders`;
  }
}

/** The program built of `scripts/nats`. */
const program = process.env.HOSEPIPE_NATS_SERVER;

/** One NATS server, as a process of its own that ends with this one. */
export class NatsServer extends OwnServer {
  readonly #args: readonly string[];

  constructor(port: number, data: string, ...args: readonly string[]) {
    super(port);
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
    await this.spawn("NATS", [program, ...this.#args], { input: "pipe" });
  }

  /** Ends it as a crash does. */
  kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    return this.end((pid) => void process.kill(pid, signal));
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
    const server = new SqsServer(folder, port, env);
    return Object.assign(server, { address: server.broker });
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
