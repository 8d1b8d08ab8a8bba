import { checkInteger, checkOptions, throwTypeError } from "../errors.ts";
import {
  anything,
  boolean,
  callback,
  integer,
  type OptionReader,
  readOptions,
  wholeMs,
} from "../read_options.ts";
import { readHosts } from "./check_host.ts";
import { contentTypeOf } from "./content_type_of.ts";
import type { CacheOptions, FolderOptions, SendOptions, ServeMode } from "./handler_options.ts";
import { sharedSlots, Slots } from "./slots.ts";

/** Every {@linkcode ServeMode}. */
export const serveModes: readonly ServeMode[] = ["stream", "buffer"];

/** How much is kept of small files, and for how long without a look. */
export type KeptOptions = { readonly [Name in keyof CacheOptions]-?: number };

/** What answers are made by: options with their defaults, functions in place of values. */
export interface Settings {
  readonly mode: ServeMode;
  readonly chunkSize: number;
  readonly idleTimeoutMs: number;
  readonly precompressed: boolean;
  readonly contentType: (path: string) => string;
  readonly headers: (path: string) => Readonly<Record<string, string>>;
  /** Whether a path's headers are the same each time. */
  readonly hasFixedHeaders: boolean;
  readonly index: readonly string[];
  /** What is tried at the end of a path, with its dot. */
  readonly extensions: readonly string[];
  /** The names that lead to the page of a path that has none. */
  readonly spa: readonly string[] | undefined;
  readonly listing: boolean;
  readonly slots: Slots;
  readonly queueMs: number;
  /** `undefined` if nothing is kept. */
  readonly cache: KeptOptions | undefined;
  readonly allowsDotfiles: boolean;
  /** `undefined` for any. */
  readonly allowedHosts: ReadonlySet<string> | undefined;
}

/** One of those words. */
const choice =
  <Known extends string>(known: readonly Known[], fallback: NoInfer<Known>): OptionReader<Known> =>
  (action, name, value = fallback) => {
    if (known.includes(value as Known)) return value as Known;
    const need = known.join(" or ");
    if (typeof value !== "string") throwTypeError(action, name, need, value);
    throw new RangeError(`Cannot ${action}: ${name} must be ${need}, got ${JSON.stringify(value)}`);
  };

/** The options of a file that is sent. */
const sendReaders = {
  precompressed: boolean(false),
  cacheControl: anything(),
  contentType: callback(),
  headers: anything(),
  idleTimeoutMs: wholeMs(1_800_000, 1),
  chunkSize: integer(256 * 1024),
  mode: choice(serveModes, "stream"),
  onError: callback(),
  fallthrough: anything(),
};

/** Those, and the options of a folder. */
const folderReaders = {
  ...sendReaders,
  index: anything(),
  extensions: anything(),
  spa: anything(),
  listing: boolean(false),
  dotfiles: choice(["deny", "allow"], "deny"),
  maxOpenFiles: integer(undefined),
  queueMs: wholeMs(5000, 0),
  allowedHosts: anything(),
  cache: anything(),
};

const sendNames = Object.keys(sendReaders);

/** The names of a path below the root, none of which leads elsewhere. */
function namesOf(action: string, name: string, path: unknown): string[] {
  const names = typeof path === "string" ? path.split("/") : [];
  const isBelow = (one: string) => !["", ".", ".."].includes(one) && !/[\\\0]/.test(one);
  if (names.length > 0 && names.every(isBelow)) return names;
  throwTypeError(action, name, "a path below the root", path);
}

function readHeaders(
  action: string,
  { cacheControl, headers = {} }: SendOptions<never>,
): Settings["headers"] {
  if (!["undefined", "string", "function"].includes(typeof cacheControl)) {
    throwTypeError(action, "cacheControl", "a string or a function", cacheControl);
  }
  if (headers === null || !["object", "function"].includes(typeof headers)) {
    throwTypeError(action, "headers", "an object or a function", headers);
  }
  const toHeaders = (path: string) => {
    const found = new Headers(typeof headers === "function" ? headers(path) : headers);
    const cache = typeof cacheControl === "function" ? cacheControl(path) : cacheControl;
    if (cache !== undefined) found.set("cache-control", cache);
    return Object.fromEntries(found);
  };
  if (typeof headers === "function" || typeof cacheControl === "function") return toHeaders;
  try {
    const fixed = toHeaders("");
    return () => fixed;
  } catch (cause) {
    const { message } = cause as Error;
    throw new TypeError(`Cannot ${action}: headers or cacheControl: ${message}`, { cause });
  }
}

function readCache(action: string, cache: CacheOptions | false = {}): KeptOptions | undefined {
  if (cache === false) return undefined;
  if (cache === null || typeof cache !== "object") {
    throwTypeError(action, "cache", "an object or false", cache);
  }
  checkOptions(action, cache, ["maxBytes", "maxAgeMs"]);
  const { maxBytes = 16 * 2 ** 20, maxAgeMs = 0 } = cache;
  checkInteger(action, "cache.maxBytes", maxBytes, 1);
  checkInteger(action, "cache.maxAgeMs", maxAgeMs, 0);
  return { maxBytes, maxAgeMs };
}

/**
 * Fills in the defaults, and refuses what cannot be.
 *
 * @param fallthroughType What `fallthrough` is in this API.
 * @param isFolder Whether the options are of serving a folder.
 */
export function readSettings(
  action: string,
  options: FolderOptions<never> & { readonly fallthrough?: unknown } = {},
  fallthroughType: "function" | "boolean",
  isFolder: boolean,
): Settings {
  if (!isFolder) checkOptions(action, options, sendNames);
  const read = readOptions(action, options, folderReaders);
  const { mode, contentType, index = "index.html", extensions = [], spa = false } = read;
  if (read.fallthrough !== undefined && typeof read.fallthrough !== fallthroughType) {
    throwTypeError(action, "fallthrough", `a ${fallthroughType}`, read.fallthrough);
  }
  const indexNames = index === false ? [] : Array.isArray(index) ? [...index] : [index];
  for (const name of indexNames) {
    if (namesOf(action, "index", name).length > 1) {
      throwTypeError(action, "index", "a file's name, several or false", index);
    }
  }
  if (!Array.isArray(extensions)) {
    throwTypeError(action, "extensions", "an array of strings", extensions);
  }
  for (const name of extensions) {
    if (typeof name !== "string") throwTypeError(action, "an extension", "a string", name);
    if (!/^[^./\\\0][^/\\\0]*$/.test(name)) {
      throw new RangeError(
        `Cannot ${action}: an extension must have no dot first and no separator, got ${
          JSON.stringify(name)
        }`,
      );
    }
  }
  if (spa === true && indexNames.length === 0) {
    throw new TypeError(`Cannot ${action}: spa must name a file where there is no index`);
  }
  const cache = readCache(action, read.cache);
  const spaPath = spa === true ? indexNames[0]! : spa;
  return {
    ...read,
    contentType: (path) => {
      const type = contentType?.(path) ?? contentTypeOf(path);
      // What no header can carry fails here, before anything is sent.
      if (contentType !== undefined) new Headers({ "content-type": type });
      return type;
    },
    headers: readHeaders(action, read),
    hasFixedHeaders: [contentType, read.headers, read.cacheControl]
      .every((option) => typeof option !== "function"),
    index: indexNames,
    extensions: extensions.map((name) => `.${name}`),
    spa: spaPath === false ? undefined : namesOf(action, "spa", spaPath),
    slots: read.maxOpenFiles === undefined ? sharedSlots : new Slots(read.maxOpenFiles),
    // In the mode "buffer" each answer reads its file, to show the cost.
    cache: isFolder && mode === "stream" ? cache : undefined,
    allowsDotfiles: read.dotfiles === "allow",
    allowedHosts: readHosts(action, "allowedHosts", read.allowedHosts),
  };
}
