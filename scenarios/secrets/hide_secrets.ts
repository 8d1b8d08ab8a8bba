import { readAddress } from "./read_address.ts";
import process from "node:process";

/** Where addresses of servers may stand in the environment. */
const variables = ["POSTGRES_URI", "MONGODB_URI", "NATS_URL", "REDIS_URI"];

/** The addresses that a command was given: by its arguments, some of them after a flag's name, and by the environment. */
export function addressesIn(args: readonly string[] = process.argv.slice(2)): string[] {
  const given = variables.map((name) => process.env[name] ?? "").filter(Boolean);
  const found = args.flatMap((arg, index) => {
    const [, flag, value = ""] = /^(?:--?([\w-]+)=)?(.*)$/s.exec(arg)!;
    const isMeantSo = /^(?:--)?(?:source|broker|target)$/.test(flag ?? args[index - 1] ?? "");
    // One whose scheme was forgotten, too, and a list of names and values.
    return isMeantSo || /:\/\/|^[^\s"'{(]*:.*@.|pass(?:word)?=/is.test(value) ? [value] : [];
  });
  return [...found, ...given];
}

const special = /[.*+?^${}()|[\]\\/]/g;

function hideIn(text: string, address: string): string {
  const { name, secrets } = readAddress(address);
  let shown = text.replaceAll(address, () => name);
  for (const secret of [...secrets].sort((one, other) => other.length - one.length)) {
    // A short one may be a part of any word, and any one the name of the scheme.
    const edges = secret.length < 3 ? ["(?<![\\p{L}\\p{N}])", "(?![\\p{L}\\p{N}])"] : ["", ""];
    const pattern = `${edges[0]}${secret.replaceAll(special, "\\$&")}${edges[1]}(?!://)`;
    shown = shown.replaceAll(new RegExp(pattern, "gu"), "***");
  }
  return shown;
}

/** What help says of how an address is written. */
const form = "[USER:PASSWORD@]";

/** Hides what stands between a scheme and the last `@` of a word. Read by hand: an expression would take its square. */
function hideInWord(word: string): string {
  const end = word.lastIndexOf("@");
  for (let at = word.indexOf("://"); at !== -1 && at < end; at = word.indexOf("://", at + 3)) {
    const isScheme = at > 0 && /[a-z0-9+.-]/i.test(word[at - 1]!);
    const isShown = ["***@", form].some((shown) => word.startsWith(shown, at + 3));
    if (isScheme && !isShown) {
      return `${word.slice(0, at + 3)}***${word.slice(end)}`;
    }
  }
  return word;
}

/**
 * Takes users' names and passwords out of a text for people, such as a driver's error: those of `addresses`,
 * and of any other address in the text.
 *
 * @param text What would be shown.
 * @param addresses Those whose secrets they may be. Default: those that the process was given.
 */
export function hideSecrets(text: string, addresses: readonly string[] = addressesIn()): string {
  let shown = text;
  for (const address of addresses) shown = hideIn(shown, address);
  return shown.replaceAll(/[^\s"'`]+/g, hideInWord);
}
