import { bannedPhrases } from "./banned_phrases.ts";

const lookaround = /(\(\?<?!(?:\[[^\]]*\]|\\.|[^)[\\])*\))/;

/** A pattern whose phrase may go on in the next line, and whose exceptions may not. */
function acrossLines({ source }: RegExp): string {
  return source.split(lookaround).map((part) =>
    lookaround.test(part) ? part : part.replaceAll(/(?<!\[)\x20/g, "\\s+")
  ).join("");
}

const groups = Map.groupBy(
  bannedPhrases.filter(([, , where]) => where === undefined),
  ([pattern]) => pattern.flags,
);
const patterns = [...groups].map(([flags, phrases]) =>
  new RegExp(phrases.map(([pattern]) => acrossLines(pattern)).join("|"), flags)
);

/**
 * Whether a program that has no tags may say a banned phrase: what says none anywhere need not be parsed. Each text in a
 * program begins and ends with a mark or a line, so that an exception that its line has is one in the text, too.
 */
export function maySayBanned(code: string): boolean {
  const flat = code.replace(/\n[ \t]*(?:\*|\/\/)/g, "\n ");
  return patterns.some((pattern) => pattern.test(flat));
}
