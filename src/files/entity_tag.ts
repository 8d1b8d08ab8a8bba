import { createHash } from "node:crypto";
import type { FileFacts } from "./file_facts.ts";
import { skipBlanks } from "./trim_blanks.ts";

/** A validator: `opaque` with its quotes, `weak` if equal tags do not promise equal bytes. */
export interface EntityTag {
  readonly opaque: string;
  readonly weak: boolean;
}

/** A clock's tick may hold two changes, and some clocks tick by the second. */
const settledMs = 2000;

/** Before that no file that is served was written: tools that give all files one time, such as Nix, choose one so old. */
const oldestMs = Date.UTC(1990, 0);

/** Whether the time of a file's last change says something of its bytes. */
export function hasRealTime({ modifiedMs }: FileFacts): boolean {
  return modifiedMs >= oldestMs;
}

/** Of bytes that are kept in memory it is made once. */
const digests = new WeakMap<Uint8Array, string>();

function digestOf(bytes: Uint8Array): string {
  let digest = digests.get(bytes);
  if (digest === undefined) {
    digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
    digests.set(bytes, digest);
  }
  return digest;
}

/**
 * The tag of a file. It is that of its bytes, where they are in memory. Otherwise it is its length and the time of its
 * last change, which are alike in all runtimes and in all copies that keep that time, and weak if that was a moment
 * ago. Where that time says nothing, it is the time at which the file came there, by the second and weak.
 *
 * @param coding What the file's bytes are encoded in, of which each has a tag of its own.
 */
export function entityTag(
  facts: FileFacts,
  now: number,
  coding = "",
  bytes?: Uint8Array,
): EntityTag {
  const { size, modifiedMs, changedMs } = facts;
  const isReal = hasRealTime(facts);
  const version = bytes !== undefined
    ? digestOf(bytes)
    : isReal
    ? modifiedMs.toString(16)
    : `c${Math.floor(changedMs / 1000).toString(16)}`;
  const opaque = `"${size.toString(16)}-${version}${coding && `-${coding}`}"`;
  return { opaque, weak: bytes === undefined && (!isReal || now - modifiedMs < settledMs) };
}

/** As a header shows it. */
export function formatEntityTag({ opaque, weak }: EntityTag): string {
  return weak ? `W/${opaque}` : opaque;
}

/** No client has more copies of a file than that. */
const mostTags = 100;

/** What no tag has between its quotes. */
const unquotable = /[^!-~\x80-\xff]/;

/**
 * Reads a list of tags, as `If-Match` and `If-None-Match` have it; a malformed list is empty, and one of more than
 * 100 too. Each character is looked at twice at most, however the list is made.
 */
export function parseEntityTags(header: string): EntityTag[] {
  const tags: EntityTag[] = [];
  for (let at = 0;; at++) {
    at = skipBlanks(header, at);
    const weak = header.startsWith("W/", at);
    const start = weak ? at + 2 : at;
    if (header[start] === '"') {
      const end = header.indexOf('"', start + 1) + 1;
      const opaque = header.slice(start, end);
      if (end === 0 || unquotable.test(opaque) || tags.length === mostTags) return [];
      tags.push({ opaque, weak });
      at = skipBlanks(header, end);
    }
    if (at === header.length) return tags;
    if (header[at] !== ",") return [];
  }
}
