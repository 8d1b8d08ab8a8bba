type Capture = (target: object, above: unknown) => void;

/** The places in a stack, as "file:line": V8 writes "at name (file:line:column)", others "name@file:line:column". */
function sitesIn({ stack }: { readonly stack?: string | undefined }): string[] {
  const lines = String(stack).matchAll(
    /^(?: *at (?:async )?(?:.* \()?|[^@\n]*@)?(.+:\d+):\d+\)?$/gm,
  );
  return Array.from(lines, ([, site]) => site!);
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
    const rooms = sites[0]?.replace(/[^/\\]*[/\\]?[^/\\]*$/, "");
    return sites.find((site) => !site.startsWith(rooms!));
  };
}

/** Whether every run keeps where it was called. */
export const callSites = { areKept: false };
