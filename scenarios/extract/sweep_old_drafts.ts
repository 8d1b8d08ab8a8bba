import { sweepDrafts } from "./drafts.ts";
import { CheckpointFile } from "./resume/checkpoint_file.ts";
import { resolveLinks } from "./resolve_links.ts";

/** Removes what runs that were killed have left beside a file, and says so; `isResumed`: but for what is gone on from. */
export async function sweepOldDrafts(path: string, isResumed = false): Promise<void> {
  const target = await resolveLinks(path);
  const kept = isResumed ? [] : await CheckpointFile.sweep(target);
  for (const { name, bytes } of [...await sweepDrafts(target), ...kept]) {
    console.error(`Removed ${name}, ${bytes} bytes that a run which was killed had left`);
  }
}
