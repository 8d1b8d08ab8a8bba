import type { FileFacts } from "./file_facts.ts";

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

const tag = /[ \t]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*"))?[ \t]*(?:,|$)/y;

/** Reads a list of tags, as `If-Match` and `If-None-Match` have it; a malformed list is empty. */
export function parseEntityTags(header: string): EntityTag[] {
  const tags: EntityTag[] = [];
  tag.lastIndex = 0;
  while (tag.lastIndex < header.length) {
    const match = tag.exec(header);
    if (match === null) return [];
    if (match[2] !== undefined) tags.push({ opaque: match[2], weak: match[1] !== undefined });
  }
  return tags;
}
