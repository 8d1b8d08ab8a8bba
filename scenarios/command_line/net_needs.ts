import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

/** What to allow for a host at a port, 0 for any, as the runtimes ask for it: by its name and by its addresses. */
export async function netNeeds(host: string, port: number): Promise<string[] | "any"> {
  // The name of an interface cannot be written in a permission.
  if (host.includes("%")) return "any";
  const addresses = isIP(host) > 0 ? [] : await lookup(host, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );
  const names = [...new Set([host, ...addresses])]
    .map((name) => isIP(name) === 6 ? `[${name}]` : name);
  if (port === 0) return names;
  // To look up a name is asked for without a port.
  return names.flatMap((name) => isIP(host) > 0 ? [`${name}:${port}`] : [name, `${name}:${port}`]);
}
