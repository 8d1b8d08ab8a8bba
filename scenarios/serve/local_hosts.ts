import { isIP } from "node:net";
import { UsageError } from "../command_line/usage_error.ts";

/** The flag `--allow-host`, which every command with a local server has. */
export const allowHostFlag = {
  kind: "list",
  value: "HOST",
  about: "hosts to answer for besides localhost, 127.0.0.1, [::1] and --host; repeatable",
} as const;

/** The hosts that a local server answers for: this machine's own names, the address it is bound to, and more. */
export function localHosts(bound: string, more: readonly string[] = []): string[] {
  for (const host of more) {
    const isName = /^[\w.-]+$/.test(host) || isIP(host.replace(/^\[(.*)\]$/, "$1")) === 6;
    if (!isName) throw new UsageError(`--allow-host must be a host without a port, got ${host}`);
  }
  // No client names the interface that a link-local address belongs to.
  return ["localhost", "127.0.0.1", "::1", bound.replace(/%.*$/, ""), ...more];
}
