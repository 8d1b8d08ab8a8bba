import fc from "fast-check";
import { parseMultipart, type ParseMultipartOptions } from "@hosepipe/streams/formats";

const encoder = new TextEncoder();

/** A part as a test writes it. */
export interface Written {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly bytes: Uint8Array;
}

/** A part as it was read. */
export interface Read {
  readonly name: string | undefined;
  readonly filename: string | undefined;
  readonly type: string | null;
  readonly bytes: readonly number[];
}

/** The value of a form's name, as browsers write it. */
function escape(text: string): string {
  return text.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Writes a form as browsers do. */
export function writeForm(parts: readonly Written[], boundary: string): Uint8Array<ArrayBuffer> {
  const pieces = parts.flatMap(({ name, filename, type, bytes }) => [
    encoder.encode(
      `--${boundary}\r\nContent-Disposition: form-data; name="${escape(name)}"` +
        (filename === undefined ? "" : `; filename="${escape(filename)}"`) +
        `\r\n${type === undefined ? "" : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    bytes,
    encoder.encode("\r\n"),
  ]);
  return concat([...pieces, encoder.encode(`--${boundary}--\r\n`)]);
}

/** Reads all parts, one after the other. */
export async function readForm(
  chunks: Iterable<Uint8Array>,
  options: ParseMultipartOptions,
): Promise<Read[]> {
  const found: Read[] = [];
  for await (const { name, filename, headers, body } of parseMultipart(chunks, options)) {
    const bytes = [...new Uint8Array(await new Response(body as BodyInit).arrayBuffer())];
    found.push({ name, filename, type: headers.get("content-type"), bytes });
  }
  return found;
}

/** Bytes in which what begins a boundary `b` is frequent. */
export const tricky: fc.Arbitrary<Uint8Array> = fc.array(
  fc.constantFrom("\r", "\n", "-", "--", "\r\n", "\r\n-", "\r\n--", "b", "a", "\r\n--a", "\0", "ü"),
  { maxLength: 12 },
).map((parts) => encoder.encode(parts.join("").replaceAll(/(^|\r\n)--b/g, "$1-b")));

export const names: fc.Arbitrary<string> = fc.array(
  fc.constantFrom("a", "B", '"', "\r", "\n", ";", "=", " x", "ü", "😀", "%41", "name", "'"),
  { minLength: 1, maxLength: 5 },
).map((parts) => parts.join(""));
