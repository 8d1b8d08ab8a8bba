import type { ByteRange } from "./parse_range.ts";
import type { HeaderReader } from "./preconditions.ts";
import type { ServedFile } from "./served_file.ts";

/** What of a request decides about its answer. */
export interface FileRequest {
  readonly method: string;
  /** The request's target as it came, or its URL. */
  readonly target: string;
  /** The `Host` header, or the host of the URL; `undefined` if the client named none. */
  readonly host: string | undefined;
  /** The root's own name for the client, if it was asked for without its slash. */
  readonly mountName?: string;
  readonly header: HeaderReader;
}

/** What is answered, before any body is read. */
export interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A file to send a part of, which the receiver must close; a text; or nothing. */
  readonly body?: string | { readonly file: ServedFile; readonly range: ByteRange };
  /** Whether this handler has nothing here, so that the next one may answer. */
  readonly isAbsent?: boolean;
}

/** Finds the answer to a request. */
export type Answerer = (request: FileRequest) => Promise<FileAnswer>;
