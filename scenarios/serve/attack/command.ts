import process from "node:process";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { commandOf } from "../../../runtimes/descriptors.ts";
import { runtimeNames } from "../../../runtimes/current_runtime.ts";
import { findRuntime } from "../../../runtimes/find_runtime.ts";
import { serveApis } from "../start_server.ts";
import { parseCommandLine, UsageError } from "../../command_line/parse_command_line.ts";
import { runCommand } from "../../command_line/run_command.ts";
import {
  answeredOrLost,
  type Attack,
  type Attacked,
  type AttackedServer,
  attackedServers,
  bigName,
  bigSize,
  costs,
  forAll,
  get,
  held,
  hold,
  isAnswered,
  lost,
  mostMiB,
  type Place,
  rssMiB,
  secret,
  sleep,
  statusOf,
  talk,
  type Verdict,
  withAttackSite,
} from "./attack.ts";
import { open } from "node:fs/promises";
import type { Socket } from "node:net";

/** A request as it goes over the wire; its answer must hold nothing from outside the root. */
interface HostileRequest {
  readonly kind: "ways out" | "targets" | "hosts" | "headers";
  readonly text: string;
}

const dots = ["..", "%2e%2e", "%2E%2e", ".%2e", "%2e.", "%252e%252e", "%c0%ae%c0%ae", "..%00"]
  .concat(["..;", "...", ".. ", "%u002e%u002e", "..%20", "\u2025"]);
const slashes = ["/", "//", "%2f", "%2F", "%252f", "\\", "%5c", "%5C", "%c0%af", "/./", "%00/"]
  .concat([";/", "%0a/", "\uff0f"]);
const goals = ["secret.txt", "etc/passwd", "proc/self/environ", "root-evil/secret.txt"]
  .concat(["root/.env", "outside/secret.txt"]);
const beginnings = ["/", "/sub/", "//", "/link-folder/", "/%2e/", "http://localhost/"];
const depths = [1, 2, 4];

const line = (target: string, host = "localhost", headers = "") =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`;

function* waysOut(): Generator<HostileRequest> {
  for (const dot of dots) {
    for (const slash of slashes) {
      for (const depth of depths) {
        for (const goal of goals) {
          for (const beginning of beginnings.slice(0, depth === 1 ? undefined : 4)) {
            const target = beginning + `${dot}${slash}`.repeat(depth) + goal.replaceAll("/", slash);
            yield { kind: "ways out", text: line(target) };
          }
        }
      }
    }
  }
}

const names = [".env", ".git/config", "sub/.hidden", "link-outside.txt", "link-folder/secret.txt"]
  .concat(["link-twice", "pipe", "secret.txt", "root-evil/secret.txt"])
  .concat(["link-hidden", "sub/link-git/config"]);
const wrappers: readonly ((name: string) => string)[] = [
  (name) => `/${name}`,
  (name) => `//${name}`,
  (name) => `/./${name}`,
  (name) => `/%2e/${name}`,
  (name) => `/sub/../${name}`,
  (name) => `/hello.txt/../${name}`,
  (name) => `/${name}/`,
  (name) => `/${name}%00.txt`,
  (name) => `/${name}?x=/hello.txt`,
  (name) => `/${name};x=1`,
  (name) => `/${name}%20`,
  (name) => `/${name}.`,
  (name) => `/${name}::$DATA`,
  (name) => `/${encodeURIComponent(name)}`,
  (name) => `/${[...name].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("")}`,
  (name) => `/${name.toUpperCase()}`,
  (name) => `http://localhost/${name}`,
  (name) => `http:/${name}`,
  (name) => `file:///${name}`,
  (name) => `localhost:80/${name}`,
  (name) => `${name}`,
  (name) => `/hello.txt#/../${name}`,
];
const oddTargets = ["*", "/%", "/%zz", "/%ff", "/\0", "/hello.txt\0", "?", "#", "//", "///", "/."]
  .concat(["/..", "/...", "/%2f", "/%5c", "/\\", "/C:\\Windows\\win.ini", "/~root/", "/con"])
  .concat(["/hello.txt/", "/hello.txt/.", "/hello.txt/..", "/hello.txt%2f", "/sub%00/"]);

function* targets(): Generator<HostileRequest> {
  for (const name of names) {
    for (const wrap of wrappers) yield { kind: "targets", text: line(wrap(name)) };
  }
  for (const target of oddTargets) {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS", "TRACE", "get", "PROPFIND", "\0"]) {
      yield { kind: "targets", text: line(target).replace("GET", () => method) };
    }
  }
  for (let code = 0; code < 256; code++) {
    const byte = code.toString(16).padStart(2, "0");
    for (const make of [(one: string) => `/${one}`, (one: string) => `/..${one}secret.txt`]) {
      yield { kind: "targets", text: line(make(`%${byte}`)) };
      yield { kind: "targets", text: line(make(String.fromCharCode(code))) };
    }
  }
}

const oddHosts = [
  "",
  " ",
  "x/sub/x.html?",
  "x/../secret.txt?",
  "x#",
  "x?",
  "x\\secret.txt",
  "..",
  "/",
]
  .concat(["[", "[::1", "[::1]x", "x:y", "x:99999999999", ":80", "user@x", "a b", "a,b", "\x7f"])
  .concat(["%2e%2e", "x%00", "localhost/.env?", "é", "x".repeat(5000), "127.0.0.1:80:80"]);

function* hosts(): Generator<HostileRequest> {
  for (const host of oddHosts) {
    for (const target of ["/", "/hello.txt", "/../secret.txt", "//x/secret.txt", "/.env", "/sub"]) {
      yield { kind: "hosts", text: line(target, host) };
      yield { kind: "hosts", text: line(target, `localhost\r\nHost: ${host}`) };
    }
  }
}

const values = [
  "",
  " ",
  ",",
  ";",
  '"',
  '"a',
  "W/",
  "*",
  "-",
  "0",
  "-1",
  "1e9",
  "NaN",
  "\t\t",
  "\x80",
]
  .concat(["bytes=-", "bytes=0-0,0-0", "bytes=--1", "bytes=1-0", "bytes=9".repeat(50), "q=1;q=2"])
  .concat(["Thu, 01 Jan 1970 00:00:00 GMT", "x".repeat(4000), '"a",'.repeat(900)])
  .concat([
    `bytes=${"0-,".repeat(1000)}`,
    "../secret.txt",
    "gzip;q=0.0000001",
    "99999999999999999999",
  ]);
const headers = ["Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since"]
  .concat(["If-Unmodified-Since", "Accept-Encoding", "Accept", "Expect", "Upgrade", "Connection"])
  .concat([
    "X-Original-URL",
    "X-Rewrite-URL",
    "X-Forwarded-Host",
    "X-Forwarded-Prefix",
    "Destination",
  ]);

function* oddHeaders(): Generator<HostileRequest> {
  for (const header of headers) {
    for (const value of values) {
      for (const target of ["/hello.txt", "/sub/"]) {
        yield { kind: "headers", text: line(target, "localhost", `${header}: ${value}\r\n`) };
      }
    }
  }
}

/** Requests that ask for what must not be served, or that are none. */
export function hostileRequests(): HostileRequest[] {
  return [...waysOut(), ...targets(), ...hosts(), ...oddHeaders()];
}

const destroy = (sockets: readonly (Socket | undefined)[]) =>
  sockets.forEach((socket) => socket?.destroy());

/** Opens so many connections and sends the same over each, without reading. */
const holdAll = (place: Place, count: number, text: string) =>
  Promise.all(Array.from({ length: count }, () => hold(place, text)));

/** Asks for the large file over some connections and reads nothing; the server may need so many MiB for it. */
function readNothing(name: string, connections: number, requests: number, mib: number): Attack {
  return {
    name,
    async run(attacked) {
      await isAnswered(attacked);
      const before = await rssMiB(attacked);
      const request = get(attacked, attacked.big);
      const text = requests === 1
        ? request
        : request.replace("Connection: close\r\n", "").repeat(requests);
      const sockets = await holdAll(attacked, connections, text);
      await sleep(1500);
      const verdict = await costs(attacked, before, mib);
      destroy(sockets);
      return verdict;
    },
  };
}

/** Requests that never end, as many of each as there are. */
const endless = (place: Place): readonly string[] => {
  const head = `HTTP/1.1\r\nHost: ${place.host}\r\n`;
  return [
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "GET / HT",
    `GET / ${head}X: `,
    `GET /hello.txt ${head}Content-Length: 100000\r\n\r\n`,
    `POST /hello.txt ${head}Content-Length: 100000\r\n\r\n`,
    "",
  ];
};

/** Sends many requests of a kind; none may be answered with a secret, or not at all. */
function hostile(kind: HostileRequest["kind"], name: string): Attack {
  const requests = hostileRequests().filter((one) => one.kind === kind);
  return {
    name: `${requests.length.toLocaleString("en")} requests: ${name}`,
    async run(attacked) {
      let [escapes, hangs, example] = [0, 0, ""];
      await forAll(requests, 24, async ({ text }) => {
        if (hangs > 20) return;
        const answer = await talk(attacked, text);
        const isEscape = answer.text.includes(secret) || /root:[^:]*:0:0:/.test(answer.text);
        if (isEscape) escapes++;
        // Without a Connection of the client's own, a server may keep it open after an answer.
        else if (!answer.isClosed && answer.text === "") hangs++;
        else return;
        example ||= JSON.stringify(text.split("\r\n")[0]).slice(0, 60);
      });
      if (escapes + hangs > 0) return lost(`${escapes} escapes, ${hangs} hang, as ${example}`);
      return await answeredOrLost(attacked);
    },
  };
}

/** The same request with a harmless header and a hostile one, in the least time of several. */
async function leastMs(attacked: Attacked, headers: string): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 5; round++) {
    const { elapsedMs } = await talk(attacked, get(attacked, attacked.small, headers));
    least = Math.min(least, elapsedMs);
  }
  return least;
}

/** Every attack, in the order in which they are tried. */
export const attacks: readonly Attack[] = [
  hostile("ways out", "ways out of the root"),
  hostile("targets", "hidden files, links, pipes, odd targets"),
  hostile("hosts", "odd hosts"),
  hostile("headers", "odd headers"),
  {
    name: "another site's name as Host",
    async run(attacked) {
      const text = get(attacked, attacked.small).replace(/Host: .*/, "Host: evil.example");
      const status = statusOf(await talk(attacked, text));
      return status === 200
        ? lost("answered")
        : status === 0
        ? lost("no answer")
        : held(`${status}`);
    },
  },
  {
    name: "headers of 15 KB that take long to read",
    async run(attacked) {
      const plain = await leastMs(attacked, "");
      const blanks = " ".repeat(15_000);
      const hostileHeaders = [
        ...["If-None-Match", "If-Match", "If-Range"].map((name) => `${name}: "a",${blanks}x`),
        `Range: bytes=${blanks}0-1${" ".repeat(10)}x`,
        `Accept-Encoding: gzip${";".repeat(15_000)}`,
        `If-Modified-Since: Thu,${blanks}x`,
      ];
      let worst = 0;
      for (const header of hostileHeaders) {
        const isRange = header.startsWith("If-Range") ? "Range: bytes=0-1\r\n" : "";
        worst = Math.max(worst, await leastMs(attacked, `${header}\r\n${isRange}`));
      }
      const text = `${worst.toFixed(0)} ms, ${plain.toFixed(0)} without`;
      return worst > 50 && worst > 10 * plain ? lost(text) : held(text);
    },
  },
  {
    name: "a range that is asked for 1,000 times",
    async run(attacked) {
      const ranges = `Range: bytes=${"0-,".repeat(1000)}0-1\r\n`;
      const { text } = await talk(attacked, get(attacked, attacked.big, ranges), 20_000);
      const bodyBytes = text.length - text.indexOf("\r\n\r\n") - 4;
      return bodyBytes > 2 * bigSize
        ? lost(`a body of ${bodyBytes} bytes`)
        : await answeredOrLost(attacked);
    },
  },
  {
    name: "600 connections that are reset at once",
    async run(attacked) {
      const keep = get(attacked, attacked.small).replace("close", "keep-alive");
      const others = await holdAll(attacked, 10, keep);
      let closed = 0;
      for (const other of others) {
        other?.resume();
        other?.once("close", () => closed++);
      }
      await forAll(Array.from({ length: 600 }), 20, async () => {
        const socket = await hold(attacked, "");
        socket?.resetAndDestroy();
      });
      const verdict = await answeredOrLost(attacked);
      destroy(others);
      return closed > 0 && !verdict!.isLost ? lost(`${closed} of 10 others closed`) : verdict;
    },
  },
  readNothing("1,000 requests for a large file on one connection, nothing read", 1, 1000, mostMiB),
  readNothing("200 clients that read nothing of a large file", 200, 1, 200 * 1.5),
  {
    name: "900 clients that read nothing of a large file: others are answered within 1 s",
    async run(attacked) {
      await isAnswered(attacked);
      const sockets = await holdAll(attacked, 900, get(attacked, attacked.big));
      // Buffers of the system take 2 GB first, and Bun closes connections by a clock that ticks every 4 s.
      await sleep(10_000);
      let verdict: Verdict;
      for (let tries = 0; tries < 5; tries++) {
        verdict = await answeredOrLost(attacked, 1000);
        if (verdict!.isLost) break;
      }
      destroy(sockets);
      return verdict;
    },
  },
  {
    name: "a file that is overwritten while it is sent",
    async run(attacked) {
      if (attacked.bigPath === undefined) return undefined;
      const socket = await hold(attacked, get(attacked, attacked.big));
      if (socket === undefined) return lost("refused");
      await sleep(700);
      const file = await open(attacked.bigPath, "r+");
      for (let at = 0; at < bigSize; at += 2 ** 20) {
        await file.write(new Uint8Array(2 ** 20).fill(98), 0, 2 ** 20, at);
      }
      await file.close();
      const counts = { a: 0, b: 0 };
      let headBytes = -1;
      const done = new Promise<void>((resolve) => {
        socket.once("close", () => resolve());
        setTimeout(() => socket.destroy(), 10_000).unref();
      });
      socket.on("data", (part: Uint8Array) => {
        let body = part;
        if (headBytes === -1) {
          headBytes = new TextDecoder("latin1").decode(part).indexOf("\r\n\r\n") + 4;
          body = part.subarray(headBytes);
        }
        // The two contents, by their bytes; sizes of chunks are neither.
        for (const byte of body) {
          if (byte === 97) counts.a++;
          else if (byte === 98) counts.b++;
        }
      });
      socket.resume();
      await done;
      const isMixed = counts.a > 100 && counts.b > 100 && counts.a + counts.b >= bigSize;
      return isMixed ? lost("a mixture, as if whole") : held("cut, or one of the two");
    },
  },
  {
    name: "requests that never end: cut within 45 s",
    async run(attacked) {
      const texts = endless(attacked);
      let open = 0;
      const sockets = await Promise.all(texts.map(async (text) => {
        const socket = await hold(attacked, text);
        if (socket === undefined) return undefined;
        open++;
        socket.resume();
        socket.once("close", () => open--);
        return socket;
      }));
      for (let waitedMs = 0; open > 0 && waitedMs < 45_000; waitedMs += 250) await sleep(250);
      const left = open;
      destroy(sockets);
      return left > 0
        ? lost(`${left} of ${texts.length} are open`)
        : await answeredOrLost(attacked);
    },
  },
  {
    name: "more idle connections than files, then an honest client",
    async run(attacked) {
      if (attacked.processId === undefined) return undefined;
      const sockets = await holdAll(attacked, 1300, "");
      await sleep(2000);
      destroy(sockets);
      await sleep(500);
      for (let tries = 0; tries < 5; tries++) {
        if (await isAnswered(attacked, 2000) !== undefined) return held("answers again");
      }
      return lost("no answer in 10 s after they left");
    },
  },
];

const script = fileURLToPath(new URL("server.ts", import.meta.url));

/** How many files a server that is attacked may have open. */
const files = 1024;

/** More would only wait for each other. */
const serversAtOnce = 3;

/** What came of each attack, by its name. */
export type Verdicts = ReadonlyMap<string, Verdict>;

/** Tries every attack, and shows what came of it. */
async function attack(
  run: (one: Attack) => Promise<Verdict>,
  show: (text: string) => void,
): Promise<Verdicts> {
  const verdicts = new Map<string, Verdict>();
  for (const one of attacks) {
    const verdict = await run(one);
    verdicts.set(one.name, verdict);
    const word = verdict === undefined ? "not tried" : verdict.isLost ? "LOST" : "held";
    show(`${word.padEnd(9)} ${one.name}${verdict === undefined ? "" : `: ${verdict.why}`}`);
  }
  return verdicts;
}

/** Starts a server in a process of its own with few files, and tries one attack on it. */
async function attackOnce({ runtime, api }: AttackedServer, one: Attack): Promise<Verdict> {
  return await withAttackSite(async (root) => {
    const command = commandOf(await findRuntime(runtime), script, [api, root]);
    const limited = ["-c", `ulimit -n ${files}; exec "$@"`, "sh", ...command];
    const child = spawn("sh", limited, { stdio: ["ignore", "pipe", "ignore"], detached: true });
    try {
      const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
      const { value } = await lines.next();
      return await one.run({
        ...{ host: "127.0.0.1", port: Number(value), small: "/hello.txt", big: `/${bigName}` },
        processId: child.pid,
        bigPath: join(root, bigName),
      });
    } finally {
      try {
        // With what it has started itself.
        process.kill(-child.pid!, "SIGKILL");
      } catch {
        // The attack has ended it.
      }
    }
  });
}

function readTarget(text: string, big: string): Attacked {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:") throw new UsageError(`--target must be an http: URL, got ${text}`);
  return { host: url.hostname, port: Number(url.port || 80), small: url.pathname, big };
}

/** The command `deno task dev serve-attack`; returns its exit code. */
export async function serveAttack(args: readonly string[]): Promise<number> {
  const flags = parseCommandLine(args, {
    command: "deno task dev serve-attack",
    about:
      "Attacks our file servers, each in a process that may have 1,024 files open, or one of\n" +
      "yours. Exits 1 if one fails. Linux only.",
    flags: {
      target: { kind: "text", value: "URL", about: "a file on a server that you may attack" },
      big: { kind: "text", value: "PATH", about: "a large file there; default: /big.bin" },
      runtime: { kind: "text", value: "R", about: "only ours in this one", choices: runtimeNames },
      api: { kind: "text", value: "A", about: "only ours of this kind", choices: serveApis },
    },
    examples: [
      "deno task dev serve-attack --runtime deno --api web",
      "deno task dev serve-attack --target http://127.0.0.1:8000/hello.txt --big /sample.bin",
    ],
  });
  const isLost = (verdicts: Verdicts) => [...verdicts.values()].some((one) => one?.isLost);
  if (flags.target !== undefined) {
    const target = readTarget(flags.target, flags.big ?? `/${bigName}`);
    const verdicts = await attack((one) => one.run(target), console.log);
    return isLost(verdicts) ? 1 : 0;
  }
  const servers = attackedServers.filter(({ runtime, api }) =>
    (flags.runtime === undefined || runtime === flags.runtime) &&
    (flags.api === undefined || api === flags.api)
  );
  const found = new Map<string, Verdicts>();
  await forAll(servers, serversAtOnce, async (server) => {
    found.set(
      server.name,
      await attack(
        // Each on a new one: what one attack has broken is not the next one's doing.
        (one) => attackOnce(server, one),
        (text) => console.log(`${server.name.padEnd(16)} ${text}`),
      ),
    );
  });
  return servers.some(({ name }) => isLost(found.get(name)!)) ? 1 : 0;
}

if (import.meta.main) {
  await runCommand(serveAttack);
  process.exit();
}
