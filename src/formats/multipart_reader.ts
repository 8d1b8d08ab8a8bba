import { headerParameters } from "./header_parameters.ts";
import { throwTypeError } from "../errors.ts";
import { isBytes } from "../is_bytes.ts";
import type { SourceReader } from "../sources/source_reader.ts";

/** How much of each there may be. */
export interface MultipartLimits {
  readonly maxParts: number;
  readonly maxFiles: number;
  readonly maxFields: number;
  readonly maxHeaderBytes: number;
  readonly maxPartBytes: number;
  readonly maxFileBytes: number;
  readonly maxFieldBytes: number;
  readonly maxTotalBytes: number;
}

const action = "parse multipart";
const lineFeed = 10;
const [tab, space] = [9, 32];
const carriageReturn = 13;
const lineBreakBytes = 2;
const noBytes = new Uint8Array();

/** How many bytes are looked at before a search is begun, which costs as much. */
const nearBytes = 16;

function findReturn(bytes: Uint8Array, start: number): number {
  const near = Math.min(start + nearBytes, bytes.length);
  for (let at = start; at < near; at++) if (bytes[at] === carriageReturn) return at;
  return bytes.indexOf(carriageReturn, near);
}

/** Reads one multipart body from front to back; one call at a time. */
export class MultipartReader {
  readonly #source: SourceReader<Uint8Array>;
  readonly #limits: MultipartLimits;
  /** A line break, two hyphens and the boundary: it has no `\r` but the first byte. */
  readonly #delimiter: Uint8Array;
  #chunk: Uint8Array = noBytes;
  #at = 0;
  /** How much of a delimiter the last chunk ended with. */
  #matched = lineBreakBytes;
  /** How much of that is no part of a body: the break at the start of all, or after headers, may begin a delimiter. */
  #given = lineBreakBytes;
  #isAtDelimiter = false;
  #totalBytes = 0;
  #partBytes = 0;
  #partCount = 0;
  readonly #counts = { maxFiles: 0, maxFields: 0 };
  /** The limit of the body that is read: the least of those that it has. */
  #bodyLimit: "maxPartBytes" | "maxFileBytes" | "maxFieldBytes" = "maxPartBytes";

  constructor(source: SourceReader<Uint8Array>, boundary: string, limits: MultipartLimits) {
    this.#source = source;
    this.#limits = limits;
    this.#delimiter = Uint8Array.from(`\r\n--${boundary}`, (unit) => unit.charCodeAt(0));
  }

  /** Finds the first boundary. */
  async skipPreamble(): Promise<void> {
    let length = 0;
    while (true) {
      const bytes = await this.#readPiece();
      if (bytes === undefined) return;
      length += bytes.length;
      this.#checkOutside(length);
    }
  }

  /** Reads what follows a boundary: the headers of a part, or nothing once there is none. */
  async readHeaders(): Promise<PartHeaders | undefined> {
    const padding = await this.#readLine(this.#limits.maxHeaderBytes, true);
    if (padding === "--") return await this.#skipEpilogue();
    if (!/^[ \t]*$/.test(padding)) this.#fail("a boundary is followed by more than blanks");
    if (++this.#partCount > this.#limits.maxParts) this.#exceed("there are", "maxParts");
    this.#partBytes = 0;
    const lines: string[] = [];
    let left = this.#limits.maxHeaderBytes;
    for (;;) {
      const line = await this.#readLine(left, false);
      if (line === "") break;
      left -= line.length + 2;
      lines.push(line);
    }
    this.#matched = this.#given = lineBreakBytes;
    let headers: PartHeaders;
    try {
      headers = partHeaders(lines);
    } catch (problem) {
      this.#fail(String(problem));
    }
    this.#setKind(headers.filename === undefined ? "Field" : "File");
    return headers;
  }

  /** Counts a part as one of its kind, which has limits of its own. */
  #setKind(kind: "File" | "Field"): void {
    const limits = this.#limits;
    if (++this.#counts[`max${kind}s`] > limits[`max${kind}s`]) {
      this.#exceed("there are", `max${kind}s`);
    }
    const own = `max${kind}Bytes` as const;
    this.#bodyLimit = limits[own] < limits.maxPartBytes ? own : "maxPartBytes";
  }

  /** Reads a piece of the body of a part, none of it empty; nothing once its boundary has come. */
  async readBody(): Promise<Uint8Array | undefined> {
    const bytes = await this.#readPiece();
    this.#partBytes += bytes?.length ?? 0;
    if (this.#partBytes > this.#limits[this.#bodyLimit]) {
      this.#exceed(`part ${this.#partCount} has`, this.#bodyLimit);
    }
    return bytes;
  }

  /** Reads what follows the last boundary: blanks, and after a line break anything. */
  async #skipEpilogue(): Promise<undefined> {
    let length = 0;
    let last = 0;
    let isPadding = true;
    do {
      length += this.#chunk.length - this.#at;
      this.#checkOutside(length);
      for (; isPadding && this.#at < this.#chunk.length; this.#at++) {
        const byte = this.#chunk[this.#at]!;
        isPadding = last !== carriageReturn;
        const isExpected = isPadding
          ? byte === space || byte === tab || byte === carriageReturn
          : byte === lineFeed;
        if (!isExpected) this.#fail("the last boundary is followed by more than blanks");
        last = byte;
      }
    } while (await this.#readMore());
    return undefined;
  }

  #checkOutside(length: number): void {
    if (length > this.#limits.maxHeaderBytes) {
      this.#exceed("there are", "maxHeaderBytes", " outside of parts");
    }
  }

  /** Reads up to a delimiter, which it passes; each byte is compared at most twice. */
  async #readPiece(): Promise<Uint8Array | undefined> {
    const delimiter = this.#delimiter;
    while (!this.#isAtDelimiter) {
      if (this.#at === this.#chunk.length) await this.#need();
      const chunk = this.#chunk;
      if (this.#matched > 0) {
        const held = this.#matched;
        const at = this.#at;
        if (this.#matchOn()) continue;
        this.#at = at;
        // It was part of the body, of which the source need not have the memory any longer.
        const start = this.#given;
        this.#given = 0;
        if (held > start) return delimiter.slice(start, held);
        continue;
      }
      const start = this.#at;
      let end = findReturn(chunk, start);
      for (; end !== -1; end = findReturn(chunk, this.#at)) {
        this.#at = end;
        if (this.#matchOn()) break;
      }
      if (end === -1) {
        end = chunk.length;
        this.#at = end;
      }
      // As it is, or in memory of its own: who gets it may transfer it.
      if (end > start) return start === 0 && end === chunk.length ? chunk : chunk.slice(start, end);
    }
    this.#isAtDelimiter = false;
    this.#given = 0;
    return undefined;
  }

  /** Compares the chunk from where it is; tells whether a delimiter has come, or may come with the next chunk. */
  #matchOn(): boolean {
    const chunk = this.#chunk;
    const delimiter = this.#delimiter;
    let at = this.#at;
    let matched = this.#matched;
    while (at < chunk.length && matched < delimiter.length && chunk[at] === delimiter[matched]) {
      at++;
      matched++;
    }
    this.#at = at;
    this.#isAtDelimiter = matched === delimiter.length;
    const isPossible = this.#isAtDelimiter || at === chunk.length;
    this.#matched = this.#isAtDelimiter || !isPossible ? 0 : matched;
    return isPossible;
  }

  /** Reads a line, without its end; `--` at once where that ends it all. */
  async #readLine(maxBytes: number, mayEnd: boolean): Promise<string> {
    let line = "";
    for (let byte = 0, last = 0;; last = byte) {
      if (this.#at === this.#chunk.length) await this.#need();
      byte = this.#chunk[this.#at++]!;
      if (byte === lineFeed && last === carriageReturn) return line.slice(0, -1);
      line += String.fromCharCode(byte);
      if (mayEnd && line === "--") return line;
      if (line.length > maxBytes + 1) this.#exceed("the headers of a part have", "maxHeaderBytes");
    }
  }

  async #need(): Promise<void> {
    if (!await this.#readMore()) this.#fail("the body ends before its last boundary");
  }

  /** Reads the next chunk that has bytes; tells whether there is one. */
  async #readMore(): Promise<boolean> {
    do {
      const { done, value } = await this.#source.read();
      if (done) return false;
      if (!isBytes(value)) throwTypeError(action, "a chunk", "a Uint8Array", value);
      this.#chunk = value;
      this.#at = 0;
    } while (this.#chunk.length === 0);
    this.#totalBytes += this.#chunk.length;
    if (this.#totalBytes > this.#limits.maxTotalBytes) this.#exceed("there are", "maxTotalBytes");
    return true;
  }

  #exceed(what: string, limit: keyof MultipartLimits, where = ""): never {
    const most = this.#limits[limit];
    throw new RangeError(`Cannot ${action}: ${what} more than ${limit} ${most}${where}`);
  }

  #fail(message: string): never {
    throw new SyntaxError(`Cannot ${action}: ${message}`);
  }
}

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
type PartHeaders = Omit<MultipartPart, "body">;

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
function partHeaders(lines: readonly string[]): PartHeaders {
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
