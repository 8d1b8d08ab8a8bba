/** What is used of a client of npm's `redis`. */
export interface NodeRedisClient {
  /** Sends one command. */
  // deno-lint-ignore no-explicit-any
  sendCommand(args: any, options?: any): Promise<any>;
  /** Makes another client of the same settings. */
  // deno-lint-ignore no-explicit-any
  duplicate(): any;
}

/** What is used of a client of npm's `ioredis`. */
export interface IoRedisClient {
  /** Sends one command. */
  // deno-lint-ignore no-explicit-any
  call(command: string, args: any): Promise<any>;
  /** Makes another client of the same settings. */
  // deno-lint-ignore no-explicit-any
  duplicate(): any;
}

/** Your own client, of npm's `redis` or `ioredis`. */
export type RedisClient = NodeRedisClient | IoRedisClient;

function isIoRedis(client: RedisClient): client is IoRedisClient {
  return typeof (client as Partial<IoRedisClient>).call === "function";
}

/** Sends one command. */
export async function sendRedis(client: RedisClient, args: readonly string[]): Promise<unknown> {
  if (!isIoRedis(client)) return await client.sendCommand([...args]);
  const [command, ...rest] = args;
  return await client.call(command!, rest);
}

/** A connection for what blocks. */
export interface BlockingRedis {
  send(args: readonly string[]): Promise<unknown>;
  close(): void;
}

/** Opens a connection of its own, by the client's settings. */
export async function openBlocking(client: RedisClient): Promise<BlockingRedis> {
  const other = client.duplicate();
  // What is lost shows in the command that was on its way.
  other.on("error", () => {});
  if (isIoRedis(client)) {
    return { send: (args) => sendRedis(other, args), close: () => other.disconnect() };
  }
  const close = () => {
    if (other.isOpen) other.destroy();
  };
  try {
    await other.connect();
  } catch (error) {
    close();
    throw error;
  }
  return { send: (args) => sendRedis(other, args), close };
}
