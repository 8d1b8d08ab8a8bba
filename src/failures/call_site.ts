type Capture = (target: object, above: unknown) => void;

/** The places in a stack, as "file:line". */
function sitesIn({ stack }: { readonly stack?: string | undefined }): string[] {
  return String(stack).split("\n")
    .map((line) => /^(?:.*\(|.*@|\s*at (?:async )?)?(.+:\d+):\d+\)?$/.exec(line)?.[1])
    .filter((site) => site !== undefined);
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
    const folder = sites[0]?.replace(/[^/\\]*[/\\][^/\\]*$/, "");
    return sites.find((site) => !site.startsWith(folder!));
  };
}
