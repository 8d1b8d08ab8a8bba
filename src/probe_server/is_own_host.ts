import { isIP } from "node:net";

function isUnspecified(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** A host as it stands in an address: an IPv6 one in brackets. */
export function inAddress(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/**
 * Whether a request's `Host` is the server's own. A page of another site whose name was made to lead here (DNS
 * rebinding) says that name; it cannot say an address.
 */
export function isOwnHost(header: string | undefined, host: string, port: number): boolean {
  const match = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::(\d{1,5}))?$/i.exec(header ?? "");
  if (match === null || Number(match[2] ?? 80) !== port) return false;
  const asked = match[1]!.toLowerCase();
  if (asked === inAddress(host).toLowerCase()) return true;
  if (isLoopback(host) && ["localhost", "127.0.0.1", "[::1]"].includes(asked)) return true;
  // Listening everywhere, it cannot know all its addresses; but no other site's name is one.
  return isUnspecified(host) &&
    (asked === "localhost" || isIP(asked.replace(/^\[|\]$/g, "")) !== 0);
}
