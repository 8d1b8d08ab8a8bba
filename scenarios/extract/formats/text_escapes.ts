const lastCode = 127;

/**
 * What becomes of each byte of what `write` writes, found out by asking it: itself (0), a letter after a backslash,
 * `\u00` and two digits (`u`), or another character alone.
 */
export function textEscapes(write: (text: string) => string): Uint8Array {
  const escapes = new Uint8Array(256);
  const start = write("aa").indexOf("aa") + 1;
  for (let code = 0; code <= lastCode; code++) {
    const one = String.fromCharCode(code);
    const made = write(`a${one}a`).slice(start, -start);
    if (made !== one) escapes[code] = made.charCodeAt(made[0] === "\\" ? 1 : 0);
  }
  return escapes;
}
