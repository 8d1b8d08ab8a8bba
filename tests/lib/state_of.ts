import { turns } from "./turns.ts";

/** Tells whether a promise has settled by now, and how. */
export async function stateOf(
  promise: Promise<unknown>,
): Promise<"pending" | "fulfilled" | "rejected"> {
  const settled = promise.then(() => "fulfilled" as const, () => "rejected" as const);
  await turns(1);
  return Promise.race([settled, Promise.resolve("pending" as const)]);
}
