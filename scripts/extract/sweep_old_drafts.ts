import { sweepDrafts } from "../../scenarios/extract/drafts.ts";
import { resolveLinks } from "../../scenarios/extract/resolve_links.ts";

/** Removes what runs that were killed have left beside a file, and says so. */
export async function sweepOldDrafts(path: string): Promise<void> {
  for (const { name, bytes } of await sweepDrafts(await resolveLinks(path))) {
    console.error(`Removed ${name}, ${bytes} bytes that a run which was killed had left`);
  }
}
