/** Tells whether `value` is a `Uint8Array`, of whatever realm; Node's `Buffer` is one. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) &&
    (value as Uint8Array)[Symbol.toStringTag] === "Uint8Array";
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
