import process from "node:process";
import { addressesIn } from "../secrets/addresses_in.ts";
import { hideSecrets } from "../secrets/hide_secrets.ts";
import { HelpRequest } from "./help_request.ts";
import { UsageError } from "./usage_error.ts";
import { watchUntilGone } from "./watch_until_gone.ts";

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
