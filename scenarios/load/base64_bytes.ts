import { Buffer } from "node:buffer";

/**
 * The bytes that a text of base64 stands for.
 *
 * @throws {SyntaxError} If it is none.
 */
export function base64Bytes(text: string): Uint8Array {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text) throw new SyntaxError("a binary value is no base64");
  return bytes;
}
