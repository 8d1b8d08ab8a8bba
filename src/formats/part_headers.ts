import { headerParameters } from "./header_parameters.ts";

/** A part of a multipart body. */
export interface MultipartPart {
  /** Its headers. */
  readonly headers: Headers;
  /** The name of its field, if it has one: any text, line breaks too, as forms write them with `%0D%0A`. */
  readonly name: string | undefined;
  /**
   * The name of its file, from `filename*` or `filename`, without folders and drive: the last part of a path, `""` for
   * `..`. A control character, such as a line break, is U+FFFD. It is `undefined` if the part is no file.
   */
  readonly filename: string | undefined;
  /** Its bytes, with a `highWaterMark` of 0: they are read from the request as they are asked for, before the next part. */
  readonly body: ReadableStream<Uint8Array>;
}

/** What a part says of itself. */
export type PartHeaders = Omit<MultipartPart, "body">;

const utf8 = new TextDecoder();

/** Text of which each code unit is a byte, as UTF-8. */
function decode(bytes: string): string {
  return utf8.decode(Uint8Array.from(bytes, (unit) => unit.charCodeAt(0)));
}

const browserEscapes: Readonly<Record<string, string>> = { "%0a": "\n", "%0d": "\r", "%22": '"' };

function unescape(text: string): string {
  return decode(text).replaceAll(
    /%(?:0a|0d|22)/gi,
    (escape) => browserEscapes[escape.toLowerCase()]!,
  );
}

/** The value of a parameter such as `filename*=UTF-8''%e2%82%ac`; `undefined` if it is none. */
function decodeExtended(value: string | undefined): string | undefined {
  const match = /^(utf-8|iso-8859-1)'[^']*'((?:%[0-9a-f]{2}|[^%])*)$/i.exec(value ?? "");
  if (match === null) return undefined;
  const bytes = match[2]!.replaceAll(
    /%(..)/g,
    (_, code: string) => String.fromCharCode(parseInt(code, 16)),
  );
  return match[1]!.length === 5 ? decode(bytes) : bytes;
}

/** A name without folders and drive, which could lead out of where it is put, or control characters, which could end a header or a line of a log. */
function baseName(filename: string): string {
  const name = filename.slice(Math.max(filename.lastIndexOf("/"), filename.lastIndexOf("\\")) + 1)
    .replace(/^[a-z]:/i, "");
  return name === "." || name === ".." ? "" : name.replaceAll(/\p{Cc}/gu, "\ufffd");
}

/** Reads the lines of a part's headers, of which each code unit is a byte; what is wrong is thrown as text. */
export function partHeaders(lines: readonly string[]): PartHeaders {
  const unfolded: string[] = [];
  for (const line of lines) {
    const isMore = unfolded.length > 0 && /^[ \t]/.test(line);
    unfolded.push(isMore ? `${unfolded.pop()} ${line.trim()}` : line);
  }
  const headers = new Headers();
  for (const line of unfolded) {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\0\r\n]*)$/.exec(line);
    if (match === null) throw `a header is none: ${JSON.stringify(line.slice(0, 80))}`;
    headers.append(match[1]!, match[2]!.trim());
  }
  const disposition = headers.get("content-disposition");
  if (disposition === null) return { headers, name: undefined, filename: undefined };
  const parsed = headerParameters(disposition);
  if (parsed === undefined) {
    throw `a content-disposition is none: ${JSON.stringify(disposition.slice(0, 80))}`;
  }
  const name = parsed.parameters.get("name");
  const filename = parsed.parameters.get("filename");
  const found = decodeExtended(parsed.parameters.get("filename*")) ??
    (filename === undefined ? undefined : unescape(filename));
  return {
    headers,
    name: name === undefined ? undefined : unescape(name),
    filename: found === undefined ? undefined : baseName(found),
  };
}
