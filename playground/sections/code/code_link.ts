/// <reference lib="dom" />
import { toBytes } from "@hosepipe/streams";

/** A link longer than this is cut by some programs. */
export const longestLink = 30_000;

/** Code that a link unpacks to is no longer: a short link may stand for gigabytes. */
const mostBytes = 1024 ** 2;

function through(bytes: Uint8Array<ArrayBuffer>, pair: GenericTransformStream) {
  return toBytes(new Blob([bytes]), pair as ReadableWritablePair, { maxBytes: mostBytes });
}

/** Code as the part of an address after `#`: compressed, in letters that an address may have. */
export async function encodeCode(code: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(code), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `code=${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** The code that an address holds; `undefined` if it holds none. Rejects if what it holds is damaged. */
export async function decodeCode(hash: string): Promise<string | undefined> {
  const [, text] = /^#?code=(.*)$/s.exec(hash) ?? [];
  if (text === undefined) return undefined;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const plain = await through(bytes, new DecompressionStream("deflate-raw"));
  return new TextDecoder("utf-8", { fatal: true }).decode(plain);
}
