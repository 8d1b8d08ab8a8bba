import type { FileFacts } from "./file_facts.ts";
import { skipBlanks } from "./skip_blanks.ts";

/** A validator: `opaque` with its quotes, `weak` if equal tags do not promise equal bytes. */
export interface EntityTag {
  readonly opaque: string;
  readonly weak: boolean;
}

/** A clock's tick may hold two changes, and some clocks tick by the second. */
const settledMs = 2000;

/**
 * The tag of a file: its length and the time of its last change, which are alike in all runtimes and in
 * all copies that keep that time. Of a file changed a moment ago it is weak.
 *
 * @param coding What the file's bytes are encoded in, of which each has a tag of its own.
 */
export function entityTag({ size, modifiedMs }: FileFacts, now: number, coding = ""): EntityTag {
  const opaque = `"${size.toString(16)}-${modifiedMs.toString(16)}${coding && `-${coding}`}"`;
  return { opaque, weak: now - modifiedMs < settledMs };
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
