const { indexOf } = Uint8Array.prototype;

/** Whether bytes that count none have a place in their buffer: it may have been transferred, or cut short. */
function isInBuffer(bytes: Uint8Array): boolean {
  try {
    indexOf.call(bytes, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * The one rule for what chunks are bytes, that of a `Response`'s body: a `Uint8Array`, of whatever realm, such as
 * Node's `Buffer`. A detached one is none, since the bytes that it had would be lost silently.
 */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) &&
    (value as Uint8Array)[Symbol.toStringTag] === "Uint8Array" &&
    ((value as Uint8Array).length > 0 || isInBuffer(value as Uint8Array));
}

/** Puts bytes together in memory of its own; `length` is the sum of theirs. */
export function joinBytes(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
