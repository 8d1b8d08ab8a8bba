import { describeValue, throwTypeError } from "../../errors.ts";

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
export function checkNames(
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
