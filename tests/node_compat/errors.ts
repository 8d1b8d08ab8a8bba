import { toReason } from "../../src/source/stage_error.ts";

/** Values that a stage may throw, the falsy ones too, which node would take for "no error". */
export const reasons: readonly unknown[] = [
  new Error("boom"),
  undefined,
  null,
  0,
  "",
  false,
  "boom",
];

/** The reason with which `work` rejects; wrapped, so that no value can be mistaken for success. */
export async function rejection(work: PromiseLike<unknown>): Promise<{ reason: unknown }> {
  try {
    await work;
  } catch (reason) {
    return { reason };
  }
  throw new Error("It did not reject");
}

/** The value of the `error` event of a node stream, unwrapped. */
export function errorOf(
  stream: { once(event: "error", listener: (error: unknown) => void): unknown },
): Promise<unknown> {
  return new Promise((resolve) => stream.once("error", (error) => resolve(toReason(error))));
}
