import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { commandOf } from "../runtimes/command_of.ts";
import { runtimeNames } from "../runtimes/current_runtime.ts";
import { findRuntime } from "../runtimes/find_runtime.ts";
import { serveApis } from "../scenarios/serve/start_server.ts";
import { parseCommandLine } from "./command_line/parse_command_line.ts";
import { runCommand } from "./command_line/run_command.ts";
import { UsageError } from "./command_line/usage_error.ts";
import { bigName, withAttackSite } from "./serve_attack/attack_site.ts";
import type { Attack, Attacked, Verdict } from "./serve_attack/attack.ts";
import { attacks } from "./serve_attack/attacks.ts";
import { type AttackedServer, attackedServers } from "./serve_attack/servers.ts";
import { forAll } from "./serve_attack/talk.ts";
import { findNginx } from "./serve_attack/peers.ts";

const page = new URL("../docs/serve-http.md", import.meta.url);
const script = fileURLToPath(new URL("serve_attack/server.ts", import.meta.url));

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
async function attackOnce({ name, runtime }: AttackedServer, one: Attack): Promise<Verdict> {
  return await withAttackSite(async (root) => {
    const command = commandOf(await findRuntime(runtime), script, [name, root]);
    const limited = ["-c", `ulimit -n ${files}; exec "$@"`, "sh", ...command];
    const child = spawn("sh", limited, { stdio: ["ignore", "pipe", "ignore"], detached: true });
    try {
      const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
      const { value } = await lines.next();
      return await one.run({
        ...{ host: "127.0.0.1", port: Number(value), small: "/hello.txt", big: `/${bigName}` },
        // Of nginx it is the process that has started it.
        processId: name === "nginx" ? undefined : child.pid,
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

function render(all: ReadonlyMap<string, Verdicts>): string {
  const rows = attacks.map(({ name }) => {
    const cells = [...all.values()].map((verdicts) => {
      const verdict = verdicts.get(name);
      return verdict === undefined ? "" : verdict.isLost ? "–" : "✓";
    });
    return `| ${[name, ...cells].join(" | ")} |`;
  });
  return [
    `| ${["", ...all.keys()].join(" | ")} |`,
    `| ${["---", ...[...all.keys()].map(() => ":-:")].join(" | ")} |`,
    ...rows,
  ].join("\n");
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
      "Attacks file servers: ours, or with --all also sirv, send, express.static, srvx, hono and nginx,\n" +
      "each in a process that may have 1,024 files open. Exits 1 if ours fails one. Linux only.",
    flags: {
      target: { kind: "text", value: "URL", about: "a file on a server that you may attack" },
      big: { kind: "text", value: "PATH", about: "a large file there; default: /big.bin" },
      runtime: { kind: "text", value: "R", about: "only ours in this one", choices: runtimeNames },
      api: { kind: "text", value: "A", about: "only ours of this kind", choices: serveApis },
      all: { kind: "boolean", about: "the others, too" },
      write: { kind: "boolean", about: "also puts the table into docs/serve-http.md; needs --all" },
    },
    examples: [
      "deno task dev serve-attack --runtime deno --api web",
      "deno task dev serve-attack --target http://127.0.0.1:8000/hello.txt --big /sample.bin",
    ],
  });
  if (flags.write && !flags.all) throw new UsageError("--write needs --all");
  const isLost = (verdicts: Verdicts) => [...verdicts.values()].some((one) => one?.isLost);
  if (flags.target !== undefined) {
    const target = readTarget(flags.target, flags.big ?? `/${bigName}`);
    const verdicts = await attack((one) => one.run(target), console.log);
    return isLost(verdicts) ? 1 : 0;
  }
  const hasNginx = await findNginx() !== undefined;
  if (flags.all && !hasNginx) console.error("Left out: nginx, which is not on PATH");
  const servers = attackedServers.filter(({ name, runtime, isOurs }) =>
    (isOurs || flags.all) && (name !== "nginx" || hasNginx) &&
    (flags.runtime === undefined || !isOurs || runtime === flags.runtime) &&
    (flags.api === undefined || !isOurs || name.endsWith(flags.api))
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
  const all = new Map(servers.map(({ name }) => [name, found.get(name)!]));
  if (flags.write) {
    const text = await readFile(page, "utf8");
    const block = /(<!-- serve-attack -->\n)[^]*?(<!-- \/serve-attack -->)/;
    if (!block.test(text)) throw new Error("docs/serve-http.md has no place for the table");
    await writeFile(page, text.replace(block, (_, from, to) => `${from}\n${render(all)}\n\n${to}`));
  }
  return servers.some(({ name, isOurs }) => isOurs && isLost(found.get(name)!)) ? 1 : 0;
}

if (import.meta.main) {
  await runCommand(serveAttack);
  process.exit();
}
