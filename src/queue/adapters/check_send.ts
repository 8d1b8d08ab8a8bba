import { checkInteger, checkOptions, describeValue, throwTypeError } from "../../errors.ts";
import type { DeadLetter, DeadLetters, SendOptions } from "../queue_source.ts";

const kinds = {
  text: { need: "text", isOf: (body: unknown) => typeof body === "string" },
  bytes: { need: "a Uint8Array", isOf: (body: unknown) => body instanceof Uint8Array },
};

// A pair is one character here, and none of these.
const loneSurrogate = /\p{Surrogate}/u;

/** Throws unless each body is what a queue can keep and hand over as it was sent: the same for every adapter. */
export function checkBodies(bodies: unknown, format?: "text" | "bytes"): void {
  if (!Array.isArray(bodies)) throwTypeError("send", "bodies", "an array", bodies);
  const accepted = format === undefined ? [kinds.text, kinds.bytes] : [kinds[format]];
  for (const [index, body] of (bodies as unknown[]).entries()) {
    if (!accepted.some(({ isOf }) => isOf(body))) {
      const need = accepted.map(({ need }) => need).join(" or ");
      throwTypeError("send", `bodies[${index}]`, need, body);
    }
    if (typeof body === "string" && loneSurrogate.test(body)) {
      throw new TypeError(
        `Cannot send: bodies[${index}] must be text without lone surrogates, got ${
          describeValue(body.slice(0, 50))
        }`,
      );
    }
  }
}

/** Throws unless there is a name for each body, or `undefined` where that may be. */
function checkNames(
  option: "ids" | "keys",
  names: unknown,
  count: number,
  isOptional: boolean,
): void {
  if (!Array.isArray(names)) throwTypeError("send", option, "an array", names);
  if (names.length !== count) {
    throw new RangeError(
      `Cannot send: ${option} must be as many as bodies, ${count}, got ${names.length}`,
    );
  }
  for (const [index, name] of (names as unknown[]).entries()) {
    if (isOptional && name === undefined) continue;
    if (
      typeof name !== "string" || name === "" || name.includes("\0") || loneSurrogate.test(name)
    ) {
      throwTypeError("send", `${option}[${index}]`, "text that is not empty", name);
    }
  }
}

/** The dead letters of a queue: the arguments are checked, and then it lists, or replays or purges some or all. */
export function deadLettersOf<T>(
  list: (limit: number, after: string | undefined) => Promise<DeadLetter<T>[]>,
  act: (action: "replay" | "purge", ids: readonly string[] | undefined) => Promise<number>,
): DeadLetters<T> {
  const check = async (action: "replay" | "purge", ids?: readonly string[]) => {
    if (ids !== undefined && !Array.isArray(ids)) throwTypeError(action, "ids", "an array", ids);
    for (const [index, id] of (ids ?? []).entries()) {
      if (typeof id !== "string") throwTypeError(action, `ids[${index}]`, "text", id);
    }
    return await act(action, ids);
  };
  return {
    async list(options = {}) {
      checkOptions("list", options, ["limit", "after"]);
      const { limit = 100, after } = options;
      checkInteger("list", "limit", limit, 1);
      if (after !== undefined && typeof after !== "string") {
        throwTypeError("list", "after", "text", after);
      }
      return await list(limit, after);
    },
    replay: (ids) => check("replay", ids),
    purge: (ids) => check("purge", ids),
  };
}

/** Throws unless these bodies can be sent, and these are options for them. */
export function checkSend(
  bodies: readonly unknown[],
  options: SendOptions,
  format?: "text" | "bytes",
): void {
  checkBodies(bodies, format);
  checkOptions("send", options, ["ids", "rememberMs", "keys", "notBefore"]);
  const { ids, rememberMs, keys, notBefore } = options;
  if (ids !== undefined) checkNames("ids", ids, bodies.length, false);
  if (keys !== undefined) checkNames("keys", keys, bodies.length, true);
  if (rememberMs !== undefined) {
    checkInteger("send", "rememberMs", rememberMs, 1);
    if (ids === undefined) throw new TypeError("Cannot send: rememberMs needs ids");
  }
  if (notBefore === undefined) return;
  if (!(notBefore instanceof Date)) throwTypeError("send", "notBefore", "a Date", notBefore);
  if (Number.isNaN(notBefore.getTime())) {
    throw new RangeError("Cannot send: notBefore must be a valid Date");
  }
}

/** Throws if one of these options of a send, which an engine has nothing for, is given. */
export function refuseOptions(engine: string, options: SendOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) {
      throw new TypeError(`Cannot send: a queue in ${engine} has no ${name}`);
    }
  }
}
