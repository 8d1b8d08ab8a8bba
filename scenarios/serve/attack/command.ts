import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
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
  forAll,
  get,
  held,
  lost,
  secret,
  statusOf,
  talk,
  type Verdict,
  withAttackSite,
} from "./attack.ts";
import {
  manyReaders,
  never,
  outOfFiles,
  overwritten,
  pipelined,
  resets,
  slowReaders,
} from "./connection_attacks.ts";
import { type HostileRequest, hostileRequests } from "./hostile_requests.ts";

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
    least = Math.min(
      least,
      (await talk(attacked, get(attacked, attacked.small, headers))).elapsedMs,
    );
  }
  return least;
}

/** One of {@linkcode attacks}. */
const slowHeaders: Attack = {
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
};

/** One of {@linkcode attacks}. */
const manyRanges: Attack = {
  name: "a range that is asked for 1,000 times",
  async run(attacked) {
    const ranges = `Range: bytes=${"0-,".repeat(1000)}0-1\r\n`;
    const { text } = await talk(attacked, get(attacked, attacked.big, ranges), 20_000);
    const bodyBytes = text.length - text.indexOf("\r\n\r\n") - 4;
    return bodyBytes > 2 * bigSize
      ? lost(`a body of ${bodyBytes} bytes`)
      : await answeredOrLost(attacked);
  },
};

/** One of {@linkcode attacks}. */
const foreignHost: Attack = {
  name: "another site's name as Host",
  async run(attacked) {
    const text = get(attacked, attacked.small).replace(/Host: .*/, "Host: evil.example");
    const status = statusOf(await talk(attacked, text));
    return status === 200 ? lost("answered") : status === 0 ? lost("no answer") : held(`${status}`);
  },
};

/** Every attack, in the order in which they are tried. */
export const attacks: readonly Attack[] = [
  hostile("ways out", "ways out of the root"),
  hostile("targets", "hidden files, links, pipes, odd targets"),
  hostile("hosts", "odd hosts"),
  hostile("headers", "odd headers"),
  foreignHost,
  slowHeaders,
  manyRanges,
  resets,
  pipelined,
  slowReaders,
  manyReaders,
  overwritten,
  never,
  outOfFiles,
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
