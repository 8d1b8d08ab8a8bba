import { turns } from "./turns.ts";

// Taken here, so that turns are real ones where a test's time is virtual.
const { setImmediate: nextTurn } = globalThis;

/** How a promise stands after some turns of the event loop. */
export type Standing =
  | { readonly state: "pending" }
  | { readonly state: "fulfilled"; readonly value: unknown }
  | { readonly state: "rejected"; readonly reason: unknown };

/** Gives the event loop so many turns, or fewer if the promise settles before, and tells how it stands. */
export async function settledWithin(
  promise: PromiseLike<unknown>,
  turns = 20,
): Promise<Standing> {
  let standing: Standing = { state: "pending" };
  promise.then(
    (value) => standing = { state: "fulfilled", value },
    (reason) => standing = { state: "rejected", reason },
  );
  for (let turn = 0; turn < turns && standing.state === "pending"; turn++) {
    await new Promise<void>((resolve) => nextTurn(resolve));
  }
  return standing;
}

/** Tells whether a promise has settled by now, and how. */
export async function stateOf(
  promise: Promise<unknown>,
): Promise<"pending" | "fulfilled" | "rejected"> {
  const settled = promise.then(() => "fulfilled" as const, () => "rejected" as const);
  await turns(1);
  return Promise.race([settled, Promise.resolve("pending" as const)]);
}
