import { createHash } from "node:crypto";
import type { FileFacts } from "./file_facts.ts";

/** A validator: `opaque` with its quotes, `weak` if equal tags do not promise equal bytes. */
export interface EntityTag {
  readonly opaque: string;
  readonly weak: boolean;
}

/**
 * The tag of a file: it changes when the file does. Of a file changed a moment ago it is weak, since a
 * clock's tick may hold two changes. The facts are hashed, because an inode number is nobody's business.
 */
export function entityTag(facts: FileFacts, now: number): EntityTag {
  const { device, inode, size, modifiedNs, changedNs } = facts;
  const hash = createHash("sha256")
    .update([device, inode, size, modifiedNs, changedNs].join(" "))
    .digest("base64url");
  // Two seconds, since Deno tells the time of a change in whole seconds.
  const weak = now - Number(changedNs / 1_000_000n) < 2000;
  return { opaque: `"${hash.slice(0, 22)}"`, weak };
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
