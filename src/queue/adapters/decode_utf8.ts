const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text, or throws: a byte that is not text must not become another one silently. */
export function decodeUtf8(bytes: Uint8Array): string {
  // The lenient one is faster in Deno; it leaves this mark where the strict one would throw.
  const text = lenient.decode(bytes);
  if (!text.includes("\ufffd")) return text;
  try {
    return strict.decode(bytes);
  } catch (cause) {
    throw new TypeError("Its text is not UTF-8", { cause });
  }
}
