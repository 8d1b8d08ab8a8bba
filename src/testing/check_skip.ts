import { throwTypeError } from "../errors.ts";

/** Throws unless `skip` has a reason in words for each law that it names, and there are such laws. */
export function checkSkip(
  action: string,
  skip: unknown,
  known: readonly string[],
): asserts skip is Readonly<Record<string, string>> {
  if (skip === null || typeof skip !== "object") throwTypeError(action, "skip", "an object", skip);
  for (const [name, reason] of Object.entries(skip)) {
    if (!known.includes(name)) {
      throw new TypeError(
        `Cannot ${action}: unknown law ${JSON.stringify(name)}; the laws are ${known.join(", ")}`,
      );
    }
    if (typeof reason !== "string" || reason.trim() === "") {
      throwTypeError(action, `skip.${name}`, "a reason in words", reason);
    }
  }
}
