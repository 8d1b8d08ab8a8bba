import process from "node:process";

/** Where a request's target leads, from the root. */
export interface Target {
  readonly names: readonly string[];
  /** Whether it ends in a slash, which only a folder has. */
  readonly isFolder: boolean;
}

// What Windows gives a meaning of its own: streams, wildcards, names that lose their end.
const strangeOnWindows = /[<>:"|?*]|[. ]$/;

/** Longer than any name of a protocol that may be asked by. */
const longestScheme = 32;

/** Where in `target` its query or fragment begins; its length if it has none. */
function endOfPath(target: string): number {
  const at = target.search(/[?#]/);
  return at === -1 ? target.length : at;
}

/** The path of a URL as the runtime tells it, which need not be normalized or absolute. */
function pathOf(target: string): string {
  const path = target.slice(0, endOfPath(target));
  if (path.startsWith("/")) return path;
  const authority = path.indexOf("://");
  if (authority === -1 || authority > longestScheme) return path;
  if (!/^[a-z][a-z0-9+.-]*$/i.test(path.slice(0, authority))) return path;
  const slash = path.indexOf("/", authority + 3);
  return slash === -1 ? "/" : path.slice(slash);
}

/** A target's query with its question mark, as far as a header can carry it; "" if it has none. */
export function queryOf(target: string): string {
  const query = target.slice(endOfPath(target));
  if (!query.startsWith("?")) return "";
  const end = query.search(/[^!-~]|#/);
  return end === -1 ? query : query.slice(0, end);
}

/**
 * The names that a request's target leads through; `undefined` if it must not lead anywhere. It is
 * decoded once, so that a name with a percent sign can be asked for; what decoding brings to light is
 * held to the same rules.
 */
export function resolveTarget(target: string): Target | undefined {
  const path = pathOf(target);
  if (!path.startsWith("/")) return undefined;
  const parts = path.slice(1).split("/");
  const isFolder = parts.at(-1) === "";
  if (isFolder) parts.pop();
  const names: string[] = [];
  for (const part of parts) {
    let name: string;
    try {
      name = decodeURIComponent(part);
    } catch {
      return undefined;
    }
    if (name === "" || name === "." || name === ".." || /[/\\\0]/.test(name)) return undefined;
    if (process.platform === "win32" && strangeOnWindows.test(name)) return undefined;
    names.push(name);
  }
  return { names, isFolder };
}
