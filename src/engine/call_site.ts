type Capture = (target: object, above: unknown) => void;

const inV8 = /^at (?:async )?(?:.* \((.*:\d+):\d+\)|(.*:\d+):\d+)$/;
const elsewhere = /^(?!at )(?:[^@]*@)?(.*:\d+):\d+$/;

/** A line of a stack as "file:line": V8 writes "at name (file:line:column)", others "name@file:line:column". */
function siteOf(line: string): string | undefined {
  const [, called, plain] = inV8.exec(line.trim()) ?? elsewhere.exec(line.trim()) ?? [];
  return called ?? plain;
}

/** The places in a stack, as "file:line". */
function sitesIn({ stack }: { readonly stack?: string | undefined }): string[] {
  return String(stack).split("\n").map(siteOf).filter((site) => site !== undefined);
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
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
    const rooms = folderOf(folderOf(sites[0] ?? "").slice(0, -1));
    return sites.find((site) => !site.startsWith(rooms));
  };
}

/** Whether every run keeps where it was called. */
export const callSites = { areKept: false };
