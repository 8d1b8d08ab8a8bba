/** The digest of a text, in hexadecimal digits. */
export async function digestText(algorithm: "SHA-1" | "SHA-256", text: string): Promise<string> {
  const hash = await crypto.subtle.digest(algorithm, new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
