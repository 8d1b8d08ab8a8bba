import process from "node:process";
import { addressesIn, hideSecrets } from "../secrets/hide_secrets.ts";
import { HelpRequest, UsageError } from "./parse_command_line.ts";
import type { Needs } from "../../runtimes/descriptor.ts";
import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { setTimeout } from "node:timers";
import { readlink, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** As many links as Linux follows. */
const mostLinks = 40;

/**
 * Checks that a file to be written is none that this process has open already, by a name such as `/dev/stderr`: what
 * others have written to it would be replaced.
 *
 * @throws {UsageError} If it is.
 */
export async function checkNoDescriptor(flag: string, path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  let step: string | undefined = path;
  for (let count = 0; step !== undefined && stats?.isFile() && count <= mostLinks; count++) {
    const folder: string = await realpath(dirname(step)).catch(() => "");
    if (/^\/proc\/\d+(?:\/task\/\d+)?\/fd$/.test(folder)) {
      throw new UsageError(
        `Cannot write ${flag} ${path}: it is a file that is open already, which would be replaced`,
      );
    }
    const next: string | undefined = await readlink(step).catch(() => undefined);
    step = next === undefined ? undefined : resolve(dirname(step), next);
  }
}

/** Waits for the next look; injected in tests. */
type Wait = (ms: number) => Promise<void>;

/** Waits without keeping the process. */
const waitUnreferenced: Wait = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

/**
 * Looks every so many milliseconds whether a process is gone, and calls `onGone` once two looks in a row have said
 * so. What could not be looked at, as when no file descriptor is left, says nothing.
 *
 * @param isGone Whether it is gone; `undefined`, or a failure, if that cannot be known.
 */
export async function watchUntilGone(
  isGone: () => boolean | undefined | Promise<boolean | undefined>,
  everyMs: number,
  onGone: () => void,
  wait: Wait = waitUnreferenced,
): Promise<void> {
  for (let seen = 0; seen < 2;) {
    await wait(everyMs);
    let answer: boolean | undefined;
    try {
      answer = await isGone();
    } catch {
      continue;
    }
    if (answer === true) seen++;
    else if (answer === false) seen = 0;
  }
  onGone();
}

/** What to allow for a host at a port, 0 for any, as the runtimes ask for it: by its name and by its addresses. */
export async function netNeeds(host: string, port: number): Promise<string[] | "any"> {
  // The name of an interface cannot be written in a permission.
  if (host.includes("%")) return "any";
  const addresses = isIP(host) > 0 ? [] : await lookup(host, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );
  const names = [...new Set([host, ...addresses])]
    .map((name) => isIP(name) === 6 ? `[${name}]` : name);
  if (port === 0) return names;
  // To look up a name is asked for without a port.
  return names.flatMap((name) => isIP(host) > 0 ? [`${name}:${port}`] : [name, `${name}:${port}`]);
}

/** What a command needs, as its command line says. */
export interface TaskNeeds {
  /** Default: the one that runs the launcher. */
  readonly runtime?: RuntimeName | undefined;
  /** `any` where it starts programs that it does not know before. */
  readonly needs: Needs | "any";
  /** Whether it makes files of its own, which nothing outlives. */
  readonly hasTemporary?: boolean;
  readonly v8Flags?: readonly string[];
}

/** A command line's needs; of one that is not understood it throws what the command would. */
export type NeedsOf = (args: readonly string[]) => TaskNeeds | Promise<TaskNeeds>;

const everyMs = 200;

/**
 * Calls `onGone` when the process that started this one for its own sake is gone: a task, or a command that runs as a
 * child, if it was killed, could not pass that on. Started by anything else this one goes on, which may be intended.
 */
function endWithParent(onGone: () => void): void {
  const named = process.env.HOSEPIPE_PARENT;
  if (!named || process.platform === "win32") return;
  // What this process starts has another parent.
  delete process.env.HOSEPIPE_PARENT;
  const parent = /^\d+$/.test(named) ? Number(named) : process.ppid;
  void watchUntilGone(() => process.ppid !== parent, everyMs, onGone);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/**
 * Runs a command to its exit code: 0 or what `main` returns, 2 after a {@linkcode UsageError}, 1
 * after any other error, 130 after Ctrl-C, 129 and 143 after the other requests to end. The signal
 * given to `main` aborts on each, so that it can clean up; asked twice, the process ends at once. That
 * its parent is gone is a request to end, too.
 */
export async function runCommand(
  main: (args: readonly string[], signal: AbortSignal) => Promise<number | void>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const controller = new AbortController();
  let interruptedCode: number | undefined;
  const interrupt = (code: number) => () => {
    if (interruptedCode !== undefined) process.exit(interruptedCode);
    interruptedCode = code;
    controller.abort(new Error("interrupted"));
  };
  const handlers = [
    ["SIGHUP", interrupt(129)],
    ["SIGINT", interrupt(130)],
    ["SIGTERM", interrupt(143)],
  ] as const;
  for (const [name, handler] of handlers) process.on(name, handler);
  endWithParent(interrupt(143));
  try {
    const code = await main(args, controller.signal) ?? 0;
    process.exitCode = interruptedCode ?? code;
  } catch (error) {
    process.exitCode = interruptedCode ?? 1;
    if (error instanceof HelpRequest) {
      console.log(error.message);
      process.exitCode = 0;
    } else if (error instanceof UsageError) {
      console.error(hideSecrets(error.message, addressesIn(args)));
      process.exitCode = 2;
    } else if (interruptedCode === undefined) {
      console.error(hideSecrets(messageOf(error), addressesIn(args)));
    }
  } finally {
    for (const [name, handler] of handlers) process.off(name, handler);
  }
}
