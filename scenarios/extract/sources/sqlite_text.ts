import { TextBytes } from "../text_bytes.ts";

/** Reads texts as SQLite stores them; `undefined` for what is none. */
export type ReadText = (bytes: Uint8Array) => string | TextBytes | undefined;

/** Reads texts of a database, whose encoding is what `PRAGMA encoding` says. */
export function sqliteText(encoding: string): ReadText {
  if (encoding === "UTF-8") return TextBytes.read;
  const decoder = new TextDecoder(encoding === "UTF-16be" ? "utf-16be" : "utf-16le", {
    fatal: true,
    ignoreBOM: true,
  });
  return (bytes) => {
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  };
}
