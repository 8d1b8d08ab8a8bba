import { entityTag, formatEntityTag, hasRealTime } from "./entity_tag.ts";
import type { FileFacts } from "./file_facts.ts";
import type { Validators } from "./preconditions.ts";
import type { Settings } from "./read_settings.ts";

/** What answers say of one state of a file. */
export interface FileHead {
  readonly size: number;
  readonly validators: Validators;
  readonly contentType: string;
  /** The headers of a 304. */
  readonly shared: Readonly<Record<string, string>>;
  /** The headers of a 200. */
  readonly whole: Readonly<Record<string, string>>;
}

/** A `Vary` that names `Accept-Encoding` too. */
function addToVary(own = ""): string {
  const names = own.split(",").map((name) => name.trim()).filter((name) => name !== "");
  if (names.some((name) => /^(?:\*|accept-encoding)$/i.test(name))) return own;
  return [...names, "Accept-Encoding"].join(", ");
}

/**
 * Makes the headers of a file.
 *
 * @param path What it is called, from the root.
 * @param coding What its bytes are encoded in.
 * @param bytes All of them, if they are in memory.
 */
export function fileHead(
  facts: FileFacts,
  path: string,
  coding: string | undefined,
  settings: Settings,
  bytes?: Uint8Array,
): FileHead {
  const { size, modifiedMs } = facts;
  const now = Date.now();
  const tag = entityTag(facts, now, coding, bytes);
  // A file may come from the future; its answer must not claim to.
  const lastModified = hasRealTime(facts)
    ? Math.floor(Math.min(modifiedMs, now) / 1000)
    : undefined;
  const own = settings.headers(path);
  const contentType = settings.contentType(path);
  const shared = {
    ...own,
    ...(settings.precompressed ? { vary: addToVary(own["vary"]) } : {}),
    "etag": formatEntityTag(tag),
    ...(lastModified === undefined
      ? {}
      : { "last-modified": new Date(lastModified * 1000).toUTCString() }),
  };
  const whole = {
    ...shared,
    "accept-ranges": "bytes",
    ...(coding === undefined ? {} : { "content-encoding": coding }),
    "content-type": contentType,
    "content-length": String(size),
    "x-content-type-options": "nosniff",
  };
  return { size, validators: { tag, lastModified }, contentType, shared, whole };
}
