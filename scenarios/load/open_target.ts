import { checkAddress, readAddress } from "../secrets/read_address.ts";
import { hideSecrets } from "../secrets/hide_secrets.ts";
import type { LoadTarget } from "./target.ts";

/** How addresses begin that `openTarget` can open, for messages to people. */
export const targetKinds = "sqlite:FILE or postgres://…";

/** Whether `address` is of a kind that `openTarget` can open. */
export function isTargetAddress(address: string): boolean {
  return /^(?:sqlite:.|postgres(?:ql)?:\/\/.)/s.test(address);
}

/** What rows go to, and how. */
export interface TargetOptions {
  readonly table: string;
  /** How long the target may be locked, or take to answer at first. */
  readonly timeoutMs: number;
  /** Whether rows come from NDJSON. */
  readonly isJson: boolean;
}

/**
 * Opens a table for rows; only the code of its database is loaded.
 *
 * @throws {RangeError} If it is not plain where a password in the address ends.
 * @throws {Error} If the table cannot be opened.
 */
export async function openTarget(address: string, options: TargetOptions): Promise<LoadTarget> {
  checkAddress(address);
  try {
    if (address.startsWith("sqlite:")) {
      const { openSqliteTarget } = await import("./sqlite_target.ts");
      return await openSqliteTarget(address.slice(7), options.table, options.timeoutMs);
    }
    const { openPostgresTarget } = await import("./postgres_target.ts");
    return await openPostgresTarget(address, options.table, options);
  } catch (cause) {
    const { message, code } = cause as Error & { code?: string };
    const reason = hideSecrets(message || code || String(cause), [address]);
    throw new Error(`Cannot open ${readAddress(address).name}: ${reason}`, { cause });
  }
}
