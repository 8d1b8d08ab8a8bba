/** How files are sent: read on demand, or read whole before the first byte goes out. */
export type ServeMode = "stream" | "buffer";

/** Headers by name, or a function of a file's path that gives them. */
export type FileHeaders =
  | Readonly<Record<string, string>>
  | ((path: string) => Readonly<Record<string, string>> | undefined);

/** Options of sending one file; `Asked` is what the API calls a request. */
export interface SendOptions<Asked> {
  /**
   * Whether `.br`, `.zst` and `.gz` beside a file, and not older than that, are sent instead to clients that accept them,
   * the client's preference first; every answer then has `Vary: Accept-Encoding`, and ranges are of the
   * encoded bytes. Default: false.
   */
  precompressed?: boolean | undefined;
  /** The `Cache-Control` of a file, or a function of its path that gives it. Default: none. */
  cacheControl?: string | ((path: string) => string | undefined) | undefined;
  /** The `Content-Type` of a file by its path; `undefined` is left to a table of common types. */
  contentType?: ((path: string) => string | undefined) | undefined;
  /** More headers of a file; what the handler sets itself stays. Default: none. */
  headers?: FileHeaders | undefined;
  /**
   * Aborts a response, and closes its file, if the client reads nothing for this many milliseconds.
   * Default: 1,800,000, half an hour: a system asks for more only when a third of what it holds has
   * left, and at 1 kB/s a third of 4 MiB takes 24 minutes.
   */
  idleTimeoutMs?: number | undefined;
  /** Bytes of one read, the most that is held for a client. Default: 262,144. */
  chunkSize?: number | undefined;
  /** `buffer` reads a file whole before its first byte goes out, to show what that costs. Default: `stream`. */
  mode?: ServeMode | undefined;
  /**
   * Called for each failure that is not the client's: an answer 500 or 503, and a body cut short because
   * its file changed or could not be read. Default: `console.error`.
   */
  onError?: ((error: unknown, request: Asked) => void) | undefined;
}

/** What is kept of small files. */
export interface CacheOptions {
  /** Bytes of all that is kept, names and headers included. Default: 16,777,216, 16 MiB. */
  maxBytes?: number | undefined;
  /**
   * For this many milliseconds after a look at a file it is answered with what it was then. Default: 0, so that each
   * answer follows a look.
   */
  maxAgeMs?: number | undefined;
}

/** Options of serving a folder; `Asked` is what the API calls a request. */
export interface FolderOptions<Asked> extends SendOptions<Asked> {
  /** The file that stands for its folder, or several of which the first that is there does; `false` for none. Default: `index.html`. */
  index?: string | readonly string[] | false | undefined;
  /**
   * What may be left out at the end of a path, without its dot: with `["html"]` `/about` leads to `about.html`, where
   * nothing else is called so, nor a folder that is answered. The first that is there counts. Default: none.
   */
  extensions?: readonly string[] | undefined;
  /**
   * Whether a page that does not exist is the root's `index`, or the file named here, by its path from
   * the root: for GET and HEAD that accept HTML, of a path whose last name has no dot. Default: false.
   */
  spa?: boolean | string | undefined;
  /** Whether a folder without `index` is answered with a list of what is in it. Default: false. */
  listing?: boolean | undefined;
  /**
   * Whether names that begin with a dot are served. `deny` answers 404, but for what lies in the root's
   * `.well-known`. Default: `deny`.
   */
  dotfiles?: "deny" | "allow" | undefined;
  /**
   * The hosts that are answered, as names or addresses without a port: any other `Host` gets 421 and a sentence, so
   * that no other site's name can be made to lead here. A malformed `Host` gets 400 always. Default: any host.
   */
  allowedHosts?: readonly string[] | undefined;
  /**
   * How many answers of this handler may have a file open at once. Default: a quarter of what the process may have
   * open, which all handlers without this option share, and `sendFile`.
   */
  maxOpenFiles?: number | undefined;
  /**
   * A request beyond `maxOpenFiles` waits so many milliseconds for a place, then gets 503 with `Retry-After`.
   * Default: 5,000.
   */
  queueMs?: number | undefined;
  /**
   * How files of up to 64 KiB are kept in memory, once they are two seconds old: their path is looked at for each
   * answer, and the file is opened again only if that has changed. `false` keeps nothing; nor does the mode `buffer`.
   */
  cache?: CacheOptions | false | undefined;
}
