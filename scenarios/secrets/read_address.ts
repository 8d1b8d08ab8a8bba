/**
 * Throws unless it is plain where the user's name and the password of an address end: a driver might look for a host
 * by a part of the password, and say so.
 *
 * @throws {RangeError} With nothing of either.
 */
export function checkAddress(address: string): void {
  const { name, isWhole } = readAddress(address);
  if (isWhole) return;
  throw new RangeError(
    `Cannot read the address ${name}: it must be SCHEME://USER:PASSWORD@HOST:PORT/NAME, and what is not a letter or ` +
      "a digit in a user's name or a password must be written by its code, such as %2F, %3F, %23 and %40 for / ? # and @",
  );
}

/** The address of a server, taken apart as far as what is shown of it goes. */
export interface Address {
  /** For messages to people: without user, password and parameters. */
  readonly name: string;
  /** Whether it is plain where its user's name and password end: no driver can take a part of them for a host. */
  readonly isWhole: boolean;
  /** What a driver's error may say and a person must not see, in each of its spellings. */
  readonly secrets: readonly string[];
}

const host = /^(?:\[[\da-f:.%\w]+\]|[\p{L}\p{N}._%-]+)(?::\d{1,5})?$/iu;
const secretNames = /pass|pwd|secret|token|key|cred|auth.*properties/i;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parameters' values that are none of anyone's business. */
function* secretValues(query: string): Generator<string> {
  for (const part of query.split(/[?#&;]/)) {
    const [name, ...rest] = part.split("=");
    const value = rest.join("=");
    if (!secretNames.test(name!)) continue;
    yield value;
    // Such as `AWS_SESSION_TOKEN:…`.
    yield* decode(value).split(/[,:]/).slice(1);
  }
}

/** What stands for one secret: as it is given, and as an address, JSON or a driver writes it. */
function spellingsOf(secret: string): string[] {
  const plain = decode(secret);
  const quoted = JSON.stringify(plain).slice(1, -1);
  return [
    secret,
    plain,
    quoted,
    encodeURI(plain.toWellFormed()),
    encodeURIComponent(plain.toWellFormed()),
  ];
}

/**
 * Reads an address such as `postgres://USER:PASSWORD@HOST/DATABASE`. Where it is none, nothing of what stands between
 * its scheme and its last `@` is shown, and no more after that than is a list of hosts and a path.
 */
export function readAddress(address: string): Address {
  if (/^sqlite:/.test(address) && !address.includes("://")) {
    return { name: address, isWhole: true, secrets: [] };
  }
  const [, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(address)!;
  const at = rest.lastIndexOf("@");
  const before = rest.slice(0, Math.max(0, at));
  const [, hosts = "", path = "", query = ""] = /^([^/?#]*)(\/[^?#]*)?(.*)$/s.exec(
    rest.slice(at + 1),
  )!;
  const isPlain = hosts.split(",").every((one) => host.test(one)) && !/[=&;@\s]/.test(path);
  const [, user = "", password] = /^([^:]*)(?::(.*))?$/s.exec(before)!;
  const isWhole = isPlain && scheme !== "" && !/[/?#\s]/.test(before);
  const found = [before, password ?? user, ...secretValues(query), ...isPlain ? [] : [rest]];
  return {
    name: scheme + (isPlain ? (at < 0 ? "" : "***@") + hosts + path : "***"),
    isWhole,
    secrets: [...new Set(found.flatMap(spellingsOf))].filter((secret) => secret !== ""),
  };
}
