import { checkAddress } from "../secrets/check_address.ts";
import { readAddress } from "../secrets/read_address.ts";
import { loadSource } from "./load_source.ts";
import type { Selection } from "./selection.ts";
import type { RowSource } from "./source.ts";

/** How addresses begin that `openSource` can open, for messages to people. */
export const sourceKinds = "sqlite:FILE, postgres://… or mongodb://…";

/** Whether `address` is of a kind that `openSource` can open. */
export function isSourceAddress(address: string): boolean {
  return /^(?:sqlite:.|mongodb(?:\+srv)?:\/\/.|postgres(?:ql)?:\/\/.)/s.test(address);
}

/**
 * Opens `sqlite:FILE`, `postgres://…` or `mongodb://…`; only the code of that one is loaded.
 *
 * @throws {RangeError} If the address is of no such kind.
 * @throws {Error} If it cannot be opened, or has not what is selected.
 */
export async function openSource(
  address: string,
  selection: Selection,
  signal?: AbortSignal,
): Promise<RowSource> {
  if (!isSourceAddress(address)) {
    throw new RangeError(
      `Cannot open source: it must be ${sourceKinds}, got ${readAddress(address).name}`,
    );
  }
  checkAddress(address);
  const open = await loadSource(address);
  return await open(address, selection, signal);
}
