type Capture = (target: object, above: unknown) => void;

/** The place in a line of a stack, as "file:line": V8 writes "at name (file:line:column)", others "name@file:line:column". */
function siteIn(line: string): string | undefined {
  const bracket = line.lastIndexOf(" (");
  const [at = ""] = /^ *at (?:async )?/.exec(line) ?? [];
  const from = at === "" ? line.indexOf("@") + 1 : bracket === -1 ? at.length : bracket + 2;
  const place = line.slice(from, line.endsWith(")") ? -1 : undefined);
  const column = place.lastIndexOf(":");
  const row = place.lastIndexOf(":", column - 1);
  const isPlace = row > 0 && /^\d+:\d+$/.test(place.slice(row + 1));
  return isPlace ? place.slice(0, column) : undefined;
}

function sitesIn({ stack }: { readonly stack?: string | undefined }): string[] {
  return String(stack).split("\n").flatMap((line) => siteIn(line) ?? []);
}

/** A path as far as its last separator, without that. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/"), path.lastIndexOf("\\")));
}

/** Keeps where the library was called, by its function `entry`; what reads that is called if the run fails. */
export function keepCallSite(entry: unknown): () => string | undefined {
  const whole = new Error();
  const above: { readonly stack?: string | undefined } = {};
  if (entry !== undefined) {
    (Error as { captureStackTrace?: Capture }).captureStackTrace?.(above, entry);
  }
  return () => {
    // Where a tail call leaves no trace, the function is not in the stack.
    const [site] = sitesIn(above);
    if (site !== undefined) return site;
    // The first is in a room of the library, whose rooms are all in one folder.
    const sites = sitesIn(whole);
    const [first = ""] = sites;
    const rooms = first.slice(0, folderOf(folderOf(first)).length + 1);
    return sites.find((site) => !site.startsWith(rooms));
  };
}

/** Whether every run keeps where it was called. */
export const callSites = { areKept: false };
