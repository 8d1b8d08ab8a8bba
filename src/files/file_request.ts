import type { ByteRange } from "./parse_range.ts";
import type { HeaderReader } from "./preconditions.ts";
import type { SentFile } from "./sent_file.ts";
import { Buffer } from "node:buffer";

/** The reason phrases, which srvx leaves empty unless it is given them. */
export const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  206: "Partial Content",
  301: "Moved Permanently",
  304: "Not Modified",
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  412: "Precondition Failed",
  416: "Range Not Satisfiable",
  421: "Misdirected Request",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** An answer of a text of ours; by default its reason in words, which is all that clients learn. */
export function plainAnswer(
  status: number,
  isHead: boolean,
  headers: Readonly<Record<string, string>> = {},
  text = `${reasons[status]}\n`,
): { status: number; headers: Record<string, string>; body?: string } {
  return {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      ...headers,
      "content-length": String(Buffer.byteLength(text)),
      "x-content-type-options": "nosniff",
    },
    ...(isHead ? {} : { body: text }),
  };
}

/** What of a request decides about its answer. */
export interface FileRequest {
  readonly method: string;
  /** The request's target as it came, or its URL. */
  readonly target: string;
  /** The `Host` header, or the host of the URL; `undefined` if the client named none. */
  readonly host: string | undefined;
  /** The root's own name for the client, if it was asked for without its slash. */
  readonly mountName?: string | undefined;
  readonly header: HeaderReader;
}

/** A part of a file, which is to be read. */
export interface FilePart {
  readonly file: SentFile;
  readonly range: ByteRange;
}

/** What is answered, before any body is read. */
export interface FileAnswer {
  readonly status: number;
  /** Shared by answers: never to be changed. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * A file to send a part of, which the receiver must close; bytes that other answers have, too, and that must not be
   * changed; a text; or nothing.
   */
  readonly body?: string | Uint8Array<ArrayBuffer> | FilePart;
  /** Whether this handler has nothing here, so that the next one may answer. */
  readonly isAbsent?: boolean;
}

/** Finds the answer to a request. */
export type Answerer = (request: FileRequest) => Promise<FileAnswer>;
