import process from "node:process";

/** Where a request's target leads, from the root. */
export interface Target {
  readonly names: readonly string[];
  /** Whether it ends in a slash, which only a folder has. */
  readonly isFolder: boolean;
}

// What Windows gives a meaning of its own: streams, wildcards, names that lose their end.
const strangeOnWindows = /[<>:"|?*]|[. ]$/;

/** The path and query of a URL as the runtime tells it, which need not be normalized or absolute. */
function pathOf(target: string): string {
  const path = target.replace(/[?#].*$/s, "");
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/]*(.*)$/is.exec(path);
  return absolute ? absolute[1] || "/" : path;
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
