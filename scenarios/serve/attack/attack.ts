import { mkdir, mkdtemp, open, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import { execFileSync } from "node:child_process";
import { constants } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type RuntimeName, runtimeNames } from "../../../runtimes/current_runtime.ts";
import { type ServeApi, serveApis, startServer } from "../start_server.ts";
import { localHosts } from "../running_server.ts";

/** A server that can be attacked. */
export interface AttackedServer {
  readonly name: string;
  readonly runtime: RuntimeName;
  readonly api: ServeApi;
}

/** Ours as `deno task serve` runs them. */
export const attackedServers: readonly AttackedServer[] = runtimeNames.flatMap((runtime) =>
  serveApis.map((api) => ({ name: `ours, ${runtime}, ${api}`, runtime, api }))
);

/** Starts a server in this process; returns its port. */
export async function startAttacked(api: ServeApi, root: string): Promise<number> {
  const allowedHosts = localHosts("127.0.0.1");
  const where = { host: "127.0.0.1", port: 0 };
  return (await startServer(api, { root, allowedHosts, onError() {} }, where)).port;
}

/** What only a file outside of what is served holds. */
export const secret = "SECRET-OUTSIDE";

/** The large file that attacks ask for. */
export const bigName = "big.bin";

/** Bytes of it. */
export const bigSize: number = 16 * 2 ** 20;

const files: Readonly<Record<string, string>> = {
  "root/hello.txt": "hello world\n",
  "root/index.html": "<!doctype html>index\n",
  "root/sub/index.html": "<!doctype html>sub\n",
  "root/.env": secret,
  "root/.git/config": secret,
  "root/sub/.hidden": secret,
  "secret.txt": secret,
  "outside/secret.txt": secret,
  "root-evil/secret.txt": secret,
};

const links: Readonly<Record<string, string>> = {
  "root/link-outside.txt": "../secret.txt",
  "root/link-folder": "../outside",
  "root/link-twice": "link-folder/secret.txt",
  "root/link-hidden": ".env",
  "root/sub/link-git": "../.git",
};

/** Makes a folder to attack, with secrets around it, for as long as `use` takes. */
export async function withAttackSite<T>(use: (root: string) => Promise<T>): Promise<T> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-attack-")));
  const pipe = join(base, "root/pipe");
  try {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(base, name)), { recursive: true });
      await writeFile(join(base, name), content);
    }
    for (const [name, target] of Object.entries(links)) await symlink(target, join(base, name));
    await writeFile(join(base, "root", bigName), new Uint8Array(bigSize).fill(97));
    execFileSync("mkfifo", [pipe]);
    // A server may change its user before it reads.
    execFileSync("chmod", ["-R", "a+rX", base]);
    return await use(join(base, "root"));
  } finally {
    // Whatever has opened the pipe waits for a writer, with a thread that would keep the process.
    await open(pipe, constants.O_RDWR | constants.O_NONBLOCK).then((end) => end.close(), () => {});
    await rm(base, { recursive: true, force: true });
  }
}

/** Where a server is. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** What came back; `isClosed` if the server closed the connection, or the answer was whole. */
interface Talk {
  readonly text: string;
  readonly isClosed: boolean;
  readonly elapsedMs: number;
}

/** Sends bytes as they are over a connection of their own, and reads until it is closed or time is up. */
export function talk({ host, port }: Place, text: string, timeoutMs = 5000): Promise<Talk> {
  const { promise, resolve } = Promise.withResolvers<Talk>();
  const startedAt = performance.now();
  const parts: Buffer[] = [];
  const socket = connect(port, host);
  const settle = (isClosed: boolean) => {
    clearTimeout(timer);
    socket.destroy();
    const received = Buffer.concat(parts).toString("latin1");
    resolve({ text: received, isClosed, elapsedMs: performance.now() - startedAt });
  };
  const timer = setTimeout(() => settle(false), timeoutMs);
  socket.on("data", (part: Buffer) => parts.push(part));
  socket.on("error", () => {});
  socket.once("close", () => settle(true));
  socket.write(Buffer.from(text, "latin1"));
  return promise;
}

/** A GET of which the connection is closed after the answer. */
export function get(place: Place, target: string, headers = ""): string {
  return `GET ${target} HTTP/1.1\r\nHost: ${place.host}:${place.port}\r\nConnection: close\r\n${headers}\r\n`;
}

/** The status of an answer; 0 if there was none. */
export function statusOf({ text }: Talk): number {
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0);
}

/** Opens a connection and sends something, without reading; `undefined` if it is refused. */
export function hold({ host, port }: Place, text: string): Promise<Socket | undefined> {
  const socket = connect(port, host);
  socket.pause();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(socket), 3000);
    socket.on("error", () => resolve(undefined));
    socket.once("connect", () => {
      clearTimeout(timer);
      if (text !== "") socket.write(text);
      resolve(socket);
    });
  });
}

/** Runs `use` with every item, `parallel` at a time. */
export async function forAll<T>(
  items: readonly T[],
  parallel: number,
  use: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: parallel }, async () => {
    while (next < items.length) await use(items[next++]!);
  }));
}

/** Waits. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What is attacked. */
export interface Attacked extends Place {
  /** A small file, and a large one. */
  readonly small: string;
  readonly big: string;
  /** Its process, if it is on this machine and of ours. */
  readonly processId?: number | undefined;
  /** Where the large file is, if it may be written to. */
  readonly bigPath?: string | undefined;
}

/** How it ended: withstood, or what was lost; `undefined` if it cannot be tried on this server. */
export type Verdict = { readonly isLost: boolean; readonly why: string } | undefined;

/** One way to make a server useless, or to get what it should not give. */
export interface Attack {
  readonly name: string;
  run(attacked: Attacked): Promise<Verdict>;
}

/** The server has withstood. */
export const held = (why: string): Verdict => ({ isLost: false, why });
/** The attack has succeeded. */
export const lost = (why: string): Verdict => ({ isLost: true, why });

/** Whether others are answered, and how fast. */
export async function isAnswered(
  attacked: Attacked,
  timeoutMs = 5000,
): Promise<number | undefined> {
  const answer = await talk(attacked, get(attacked, attacked.small), timeoutMs);
  return statusOf(answer) === 200 ? Math.round(answer.elapsedMs) : undefined;
}

/** Lost, if others are not answered. */
export async function answeredOrLost(attacked: Attacked, timeoutMs = 5000): Promise<Verdict> {
  const ms = await isAnswered(attacked, timeoutMs);
  return ms === undefined ? lost(`no answer to others in ${timeoutMs} ms`) : held(`${ms} ms`);
}

/** What the server's process holds, if it can be seen. */
export async function rssMiB({ processId }: Attacked): Promise<number | undefined> {
  if (processId === undefined) return undefined;
  const text = await readFile(`/proc/${processId}/status`, "utf8").catch(() => "");
  const kib = /^VmRSS:\s+(\d+)/m.exec(text)?.[1];
  return kib === undefined ? undefined : Number(kib) / 1024;
}

/** The most that one client's attack may cost beyond idle. */
export const mostMiB = 64;

/** Lost, if others are not answered, or the process holds so much more than before. */
export async function costs(
  attacked: Attacked,
  before: number | undefined,
  mib: number,
): Promise<Verdict> {
  const ms = await isAnswered(attacked);
  if (ms === undefined) return lost("no answer to others in 5000 ms");
  const after = await rssMiB(attacked);
  if (before === undefined || after === undefined) return held(`${ms} ms`);
  const text = `${Math.max(0, after - before).toFixed(0)} MiB`;
  return after - before > mib ? lost(text) : held(text);
}
